SELECT workload_id, name, method, path, body_sha256, expect_body_sha256, is_calibration, body_bytes, expect_status,
       expect_body_bytes, requests_per_connection, pipeline_count,
       flood_ns, recover_within_ns, body
FROM workload
WHERE session_id = ?1
ORDER BY workload_id
