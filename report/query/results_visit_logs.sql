-- What the servers wrote.
SELECT trial_id, written_bytes, head, tail
FROM log
ORDER BY trial_id;
