INSERT INTO workload (session_id, name, is_calibration, method, path, body_bytes, body_sha256, body,
    expect_status, expect_body_bytes, expect_body_sha256, requests_per_connection, pipeline_count,
    flood_ns, recover_within_ns, think_ns, think_kind, driver)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18);
