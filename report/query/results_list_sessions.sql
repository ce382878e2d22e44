SELECT session_id, session_uid
FROM session
ORDER BY session_id
