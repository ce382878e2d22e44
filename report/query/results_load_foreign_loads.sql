-- In the order of the trials.
SELECT foreign_load.trial_id, version, command, output
FROM foreign_load
JOIN trial ON trial.trial_id = foreign_load.trial_id
WHERE trial.session_id = ?1
ORDER BY order_index, attempt_index
