-- Once only: a session that has ended stays as it is.
UPDATE session
SET state = ?2, reason = ?3, ended_utc_ns = ?4
WHERE session_id = ?1 AND state = 'running';
