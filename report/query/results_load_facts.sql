SELECT moment, name, value
FROM fact
WHERE session_id = ?1
ORDER BY moment DESC, name -- start before end
