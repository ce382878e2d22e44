-- The results file, version 1. Times ending in _utc_ns are ns since 1970 (labels); other _ns are durations.

-- One execution of a plan.
CREATE TABLE session (
    session_id INTEGER PRIMARY KEY,
    session_uid TEXT NOT NULL UNIQUE CHECK (length(session_uid) = 32), -- random, lower-case hex
    state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted', 'aborted', 'failed')),
    reason TEXT, -- why it is not finished
    title TEXT NOT NULL,
    plan_text TEXT NOT NULL, -- canonical
    plan_digest TEXT NOT NULL CHECK (length(plan_digest) = 64),
    program_version TEXT NOT NULL,
    started_utc_ns INTEGER NOT NULL,
    ended_utc_ns INTEGER,
    plan_source TEXT -- as it was written, before defaults; NULL: not known, or too long to be kept
) STRICT;

-- What is known of the machine and the programs, at the start and at the end of a session.
CREATE TABLE fact (
    session_id INTEGER NOT NULL REFERENCES session,
    moment TEXT NOT NULL CHECK (moment IN ('start', 'end')),
    name TEXT NOT NULL, -- dotted: cpu.model, kernel.release, driver.engine
    value TEXT, -- NULL: looked for, not known
    PRIMARY KEY (session_id, moment, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE engine (
    engine_id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('baseline', 'subject', 'aa', 'limit')),
    kind TEXT NOT NULL CHECK (kind IN ('builtin', 'command', 'external', 'url')),
    source TEXT NOT NULL, -- name of the built-in engine or of the folder of engines/external, the program of the command, the URL
    thread_count INTEGER NOT NULL CHECK (thread_count >= 0), -- 0: the engine's default
    command TEXT NOT NULL, -- JSON array of the arguments, without what changes from trial to trial
    binary_sha256 TEXT CHECK (length(binary_sha256) = 64), -- NULL: of a URL whose process nobody knows
    UNIQUE (session_id, name)
) STRICT;

CREATE TABLE workload (
    workload_id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session,
    name TEXT NOT NULL,
    is_calibration INTEGER NOT NULL CHECK (is_calibration IN (0, 1)), -- 1: the limit engine's
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    body_bytes INTEGER NOT NULL CHECK (body_bytes >= 0),
    body_sha256 TEXT,
    body BLOB, -- of the requests; NULL: none, or more than 900000 bytes
    expect_status INTEGER NOT NULL CHECK (expect_status BETWEEN 100 AND 599),
    expect_body_bytes INTEGER,
    expect_body_sha256 TEXT,
    requests_per_connection INTEGER CHECK (requests_per_connection > 0), -- a connection is closed after so many; NULL: never
    pipeline_count INTEGER NOT NULL CHECK (pipeline_count > 0), -- requests that a connection may have on the way
    flood_ns INTEGER CHECK (flood_ns > 0), -- a flood: how long connections are opened without a pause; NULL: none
    recover_within_ns INTEGER CHECK (recover_within_ns > 0), -- a flood: how long the server is watched afterwards
    think_ns INTEGER CHECK (think_ns > 0), -- mean pause of a connection between a response and its next request; NULL: none
    think_kind TEXT CHECK (think_kind IN ('constant', 'exponential')),
    driver TEXT CHECK (driver IN ('wrk', 'replay')), -- what stands in place of tacho's own driver; NULL: that one
    UNIQUE (session_id, name),
    CHECK ((flood_ns IS NULL) = (recover_within_ns IS NULL)),
    CHECK ((think_ns IS NULL) = (think_kind IS NULL))
) STRICT;

-- The requests of a workload that mixes several; its own method, path, body and answer are then those of request 0.
CREATE TABLE request (
    workload_id INTEGER NOT NULL REFERENCES workload,
    request_index INTEGER NOT NULL CHECK (request_index >= 0),
    weight INTEGER NOT NULL CHECK (weight > 0), -- of so many requests of the sum of weights, exactly so many are this one
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    body_bytes INTEGER NOT NULL CHECK (body_bytes >= 0),
    body_sha256 TEXT,
    body BLOB, -- NULL: none, or more than 900000 bytes
    expect_status INTEGER NOT NULL CHECK (expect_status BETWEEN 100 AND 599),
    expect_body_bytes INTEGER,
    expect_body_sha256 TEXT,
    PRIMARY KEY (workload_id, request_index)
) STRICT, WITHOUT ROWID;

-- A workload at a load point.
CREATE TABLE cell (
    cell_id INTEGER PRIMARY KEY,
    workload_id INTEGER NOT NULL REFERENCES workload,
    connection_count INTEGER NOT NULL CHECK (connection_count > 0),
    rate_per_s INTEGER CHECK (rate_per_s > 0), -- open loop, of a course its mean; NULL: closed loop
    arrivals TEXT CHECK (arrivals IN ('uniform', 'poisson')), -- open loop
    rate_course TEXT CHECK (rate_course IS NULL OR ifnull(rate_per_s, 0) > 0), -- how the rate changes along the window: '1000..5000' straight, '1000,2000' in steps; NULL: it does not
    CHECK ((rate_per_s IS NULL) = (arrivals IS NULL))
) STRICT;
CREATE UNIQUE INDEX cell_point ON cell (workload_id, connection_count, ifnull(rate_per_s, 0));

-- One fresh server process under load: the unit of inference.
CREATE TABLE trial (
    trial_id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session,
    cell_id INTEGER NOT NULL REFERENCES cell,
    engine_id INTEGER NOT NULL REFERENCES engine,
    order_index INTEGER NOT NULL CHECK (order_index >= 0), -- place in the session
    attempt_index INTEGER NOT NULL CHECK (attempt_index >= 0), -- 0, then 1 … when it is run again
    sitting_index INTEGER NOT NULL CHECK (sitting_index >= 0), -- 0, then 1 … each time the session is taken up again
    block_index INTEGER, -- NULL for calibration
    position_index INTEGER, -- place in the block
    state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'crashed', 'failed', 'interrupted', 'aborted')),
    reason TEXT, -- why it is not finished
    started_utc_ns INTEGER NOT NULL,
    ended_utc_ns INTEGER,
    ready_ns INTEGER, -- from exec to the first right answer
    connections_requested INTEGER,
    connections_established INTEGER, -- by the end of the ramp
    connections_served INTEGER, -- got at least one whole response
    started_count INTEGER, -- requests of all phases, by the driver
    server_request_count INTEGER, -- requests answered while the driver ran, by the server's own count
    server_exit TEXT, -- "exit 0", "signal 9"
    recover_ns INTEGER CHECK (recover_ns >= 0), -- a flood: from its end to the first right answer; NULL: never
    tls_version TEXT, -- over TLS, as OpenSSL names it, "mixed": several; NULL: no handshake ended well, likewise what follows
    tls_cipher TEXT, -- likewise
    tls_full_count INTEGER CHECK (tls_full_count >= 0), -- full handshakes, those of the ramp included
    tls_resumed_count INTEGER CHECK (tls_resumed_count >= 0), -- those that resumed a session
    tls_handshake_ns INTEGER CHECK (tls_handshake_ns >= 0), -- of all of them, each from the connected socket to its end
    UNIQUE (session_id, order_index, attempt_index),
    CHECK (tls_version IS NULL OR (tls_cipher IS NOT NULL AND tls_full_count + tls_resumed_count + tls_handshake_ns IS NOT NULL))
) STRICT;

-- One interval of a trial. The columns from started_count on are those of collector/metrics.def.
CREATE TABLE sample (
    trial_id INTEGER NOT NULL REFERENCES trial,
    sample_index INTEGER NOT NULL CHECK (sample_index >= 0),
    phase TEXT NOT NULL CHECK (phase IN ('warmup', 'window', 'drain')),
    start_ns INTEGER NOT NULL, -- from the trial's first request, on the grid
    end_ns INTEGER NOT NULL CHECK (end_ns >= start_ns),
    started_count INTEGER,
    ok_count INTEGER,
    http_error_count INTEGER,
    fault_count INTEGER,
    in_flight_count INTEGER,
    connection_count INTEGER,
    reconnect_count INTEGER,
    resent_count INTEGER,
    sent_bytes INTEGER,
    received_bytes INTEGER,
    latency_sum_ns INTEGER,
    latency_max_ns INTEGER,
    latency_overflow_count INTEGER,
    scheduled_count INTEGER,
    backlog_count INTEGER,
    shed_count INTEGER,
    driver_user_ns INTEGER,
    driver_system_ns INTEGER,
    driver_sleep_count INTEGER,
    driver_spin_ns INTEGER,
    driver_lag_max_ns INTEGER,
    driver_spin_limit_ns INTEGER,
    driver_ring_thread_count INTEGER,
    server_user_ns INTEGER,
    server_system_ns INTEGER,
    server_rss_kib INTEGER,
    server_pss_kib INTEGER,
    server_process_count INTEGER,
    server_thread_count INTEGER,
    server_fd_count INTEGER,
    server_voluntary_switch_count INTEGER,
    server_involuntary_switch_count INTEGER,
    server_run_delay_ns INTEGER,
    server_minor_fault_count INTEGER,
    server_major_fault_count INTEGER,
    server_request_count INTEGER,
    server_open_count INTEGER,
    server_accept_queue_count INTEGER,
    server_syn_received_count INTEGER,
    server_established_count INTEGER,
    server_close_wait_count INTEGER,
    server_closing_count INTEGER,
    server_time_wait_count INTEGER,
    collector_cpu_ns INTEGER,
    collector_run_delay_ns INTEGER,
    collector_major_fault_count INTEGER,
    machine_busy_ns INTEGER,
    machine_idle_ns INTEGER,
    machine_user_ns INTEGER,
    machine_system_ns INTEGER,
    machine_iowait_ns INTEGER,
    machine_softirq_ns INTEGER,
    machine_steal_ns INTEGER,
    machine_interrupt_count INTEGER,
    machine_softirq_count INTEGER,
    machine_switch_count INTEGER,
    machine_runnable_count INTEGER,
    machine_pressure_cpu_ns INTEGER,
    machine_pressure_io_ns INTEGER,
    machine_pressure_memory_ns INTEGER,
    machine_memory_available_kib INTEGER,
    machine_kernel_stack_kib INTEGER,
    machine_slab_kib INTEGER,
    machine_swap_in_kib INTEGER,
    machine_swap_out_kib INTEGER,
    machine_listen_overflow_count INTEGER,
    machine_listen_drop_count INTEGER,
    machine_syncookie_count INTEGER,
    machine_retransmit_count INTEGER,
    machine_reset_count INTEGER,
    machine_time_wait_count INTEGER,
    machine_time_wait_overflow_count INTEGER,
    machine_softnet_drop_count INTEGER,
    machine_softnet_squeeze_count INTEGER,
    machine_throttled_count INTEGER,
    machine_throttled_ns INTEGER,
    machine_frequency_min_khz INTEGER,
    machine_frequency_max_khz INTEGER,
    machine_thermal_throttle_count INTEGER,
    machine_temperature_millicelsius INTEGER,
    cgroup_cpu_ns INTEGER,
    cgroup_memory_kib INTEGER,
    lateness_ns INTEGER,
    histogram BLOB, -- latencies of ok requests in ns, HdrHistogram V2 compressed: service or response times
    service_histogram BLOB, -- open loop: their service times
    lag_histogram BLOB, -- open loop: how late the driver sent each request
    PRIMARY KEY (trial_id, sample_index)
) STRICT, WITHOUT ROWID;

-- How the requests of a sample ended; kinds that did not occur have no row.
CREATE TABLE outcome (
    trial_id INTEGER NOT NULL REFERENCES trial,
    sample_index INTEGER NOT NULL,
    kind TEXT NOT NULL, -- a name of collector/outcomes.def
    count INTEGER NOT NULL CHECK (count > 0),
    PRIMARY KEY (trial_id, sample_index, kind)
) STRICT, WITHOUT ROWID;

-- What became of each request of a mix in a trial's window; the drain's answers are not in it.
CREATE TABLE request_total (
    trial_id INTEGER NOT NULL REFERENCES trial,
    request_index INTEGER NOT NULL CHECK (request_index >= 0),
    started_count INTEGER NOT NULL CHECK (started_count >= 0),
    ok_count INTEGER NOT NULL CHECK (ok_count >= 0),
    http_error_count INTEGER NOT NULL CHECK (http_error_count >= 0),
    fault_count INTEGER NOT NULL CHECK (fault_count >= 0), -- without attempts to connect, which are of no request yet
    sent_bytes INTEGER NOT NULL CHECK (sent_bytes >= 0),
    received_bytes INTEGER NOT NULL CHECK (received_bytes >= 0),
    histogram BLOB, -- latencies of its ok requests, as in sample
    PRIMARY KEY (trial_id, request_index)
) STRICT, WITHOUT ROWID;

-- What another driver said of a trial's window, in its own words; of a replay, which trial was played.
CREATE TABLE foreign_load (
    trial_id INTEGER PRIMARY KEY REFERENCES trial,
    version TEXT, -- as it tells it
    command TEXT NOT NULL, -- JSON array of its words
    output TEXT NOT NULL
) STRICT;

-- What a trial's server wrote to its standard output and error: its first and its last bytes.
CREATE TABLE log (
    trial_id INTEGER PRIMARY KEY REFERENCES trial,
    written_bytes INTEGER NOT NULL CHECK (written_bytes > 0), -- in all; what lies between head and tail was not kept
    head BLOB NOT NULL,
    tail BLOB NOT NULL, -- what follows the head when nothing was left out
    CHECK (length(head) + length(tail) <= written_bytes)
) STRICT;

-- What happened that a reader should know: warnings, crashes, interrupts.
CREATE TABLE event (
    event_id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session,
    trial_id INTEGER REFERENCES trial,
    at_utc_ns INTEGER NOT NULL,
    severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'error')),
    kind TEXT NOT NULL, -- stable word: server_crashed, preflight, interrupted …
    text TEXT NOT NULL
) STRICT;
