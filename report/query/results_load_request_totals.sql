-- In the order of the trials.
SELECT request_total.trial_id, request_index, request_total.started_count, ok_count, http_error_count, fault_count,
       sent_bytes, received_bytes, histogram
FROM request_total
JOIN trial ON trial.trial_id = request_total.trial_id
WHERE trial.session_id = ?1
ORDER BY order_index, attempt_index, request_index
