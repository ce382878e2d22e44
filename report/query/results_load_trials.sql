SELECT trial_id, cell_id, engine_id, order_index, attempt_index, sitting_index, block_index, position_index, state,
       reason, server_exit, started_utc_ns, ended_utc_ns, ready_ns, connections_requested,
       connections_established, connections_served, started_count, server_request_count, recover_ns,
       tls_version, tls_cipher, tls_full_count, tls_resumed_count, tls_handshake_ns
FROM trial
WHERE session_id = ?1
ORDER BY order_index, attempt_index
