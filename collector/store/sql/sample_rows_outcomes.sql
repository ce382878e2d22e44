SELECT sample_index, kind, count
FROM outcome
WHERE trial_id = ?1
ORDER BY sample_index, kind
