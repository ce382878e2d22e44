SELECT workload_id, name, is_calibration, requests_per_connection, pipeline_count, flood_ns, recover_within_ns,
       think_ns, think_kind, driver,
       method, path, body_bytes, body_sha256, body, expect_status, expect_body_bytes, expect_body_sha256
FROM workload
WHERE session_id = ?1
ORDER BY workload_id
