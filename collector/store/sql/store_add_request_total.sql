INSERT INTO request_total (trial_id, request_index, started_count, ok_count, http_error_count, fault_count,
    sent_bytes, received_bytes, histogram)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9);
