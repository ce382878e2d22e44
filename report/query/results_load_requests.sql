SELECT request.workload_id, request_index, weight,
       request.method, request.path, request.body_bytes, request.body_sha256, request.body,
       request.expect_status, request.expect_body_bytes, request.expect_body_sha256
FROM request
JOIN workload ON workload.workload_id = request.workload_id
WHERE workload.session_id = ?1
ORDER BY request.workload_id, request_index
