SELECT engine_id, name, role, kind, source, command, binary_sha256, thread_count
FROM engine
WHERE session_id = ?1
ORDER BY engine_id
