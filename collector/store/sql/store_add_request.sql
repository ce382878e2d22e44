INSERT INTO request (workload_id, request_index, weight, method, path, body_bytes, body_sha256, body,
    expect_status, expect_body_bytes, expect_body_sha256)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11);
