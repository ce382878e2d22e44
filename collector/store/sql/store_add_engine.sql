INSERT INTO engine (session_id, name, role, kind, source, thread_count, command, binary_sha256)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);
