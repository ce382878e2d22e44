-- The last session of the file.
SELECT session_id, session_uid, state, reason, title, plan_text, plan_digest, program_version, started_utc_ns,
       ended_utc_ns
FROM session
ORDER BY session_id DESC
LIMIT 1
