INSERT INTO engine (session_id, name, role, builtin, thread_count, command, binary_sha256)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);
