INSERT INTO session (session_uid, state, title, plan_text, plan_digest, program_version, started_utc_ns,
    plan_source)
VALUES (?1, 'running', ?2, ?3, ?4, ?5, ?6, ?7);
