-- By place: one order_index may have been tried several times.
SELECT order_index, state, sitting_index, (SELECT count(*) FROM sample WHERE sample.trial_id = trial.trial_id)
FROM trial
WHERE session_id = ?1
ORDER BY order_index
