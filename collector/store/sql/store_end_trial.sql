-- Once only: a trial that has ended stays as it is.
UPDATE trial
SET state = ?2, reason = ?3, server_exit = ?4, ended_utc_ns = ?5, ready_ns = ?6,
    connections_requested = ?7, connections_established = ?8, connections_served = ?9,
    started_count = ?10, server_request_count = ?11, recover_ns = ?12,
    tls_version = ?13, tls_cipher = ?14, tls_full_count = ?15, tls_resumed_count = ?16, tls_handshake_ns = ?17
WHERE trial_id = ?1 AND state = 'running';
