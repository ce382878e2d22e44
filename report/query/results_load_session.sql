SELECT session_id, session_uid, state, reason, title, plan_text, plan_digest, program_version, started_utc_ns,
       ended_utc_ns, plan_source
FROM session
WHERE session_id = ?1
