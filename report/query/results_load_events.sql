SELECT trial_id, at_utc_ns, severity, kind, text
FROM event
WHERE session_id = ?1
ORDER BY event_id
