-- The sessions before ?1 of the same plan, newest first.
SELECT session_uid FROM session
WHERE session_id < ?1 AND plan_digest = (SELECT plan_digest FROM session WHERE session_id = ?1)
ORDER BY session_id DESC
