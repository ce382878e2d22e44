-- A session that ended is taken up again; until it ends anew it runs.
UPDATE session
SET state = 'running', reason = NULL, ended_utc_ns = NULL
WHERE session_id = ?1 AND state <> 'running';
