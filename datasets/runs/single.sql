-- The demo session with a single trial of each engine: made by datasets/record.sh from demo.sql.
PRAGMA application_id = 1413695559;
PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
CREATE TABLE cell (
    cell_id INTEGER PRIMARY KEY,
    workload_id INTEGER NOT NULL REFERENCES workload,
    connection_count INTEGER NOT NULL CHECK (connection_count > 0),
    rate_per_s INTEGER CHECK (rate_per_s > 0), -- open loop, of a course its mean; NULL: closed loop
    arrivals TEXT CHECK (arrivals IN ('uniform', 'poisson')), -- open loop
    rate_course TEXT CHECK (rate_course IS NULL OR ifnull(rate_per_s, 0) > 0), -- how the rate changes along the window: '1000..5000' straight, '1000,2000' in steps; NULL: it does not
    CHECK ((rate_per_s IS NULL) = (arrivals IS NULL))
) STRICT;
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
CREATE TABLE outcome (
    trial_id INTEGER NOT NULL REFERENCES trial,
    sample_index INTEGER NOT NULL,
    kind TEXT NOT NULL, -- a name of collector/outcomes.def
    count INTEGER NOT NULL CHECK (count > 0),
    PRIMARY KEY (trial_id, sample_index, kind)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE foreign_load (
    trial_id INTEGER PRIMARY KEY REFERENCES trial,
    version TEXT, -- as it tells it
    command TEXT NOT NULL, -- JSON array of its words
    output TEXT NOT NULL
) STRICT;
CREATE TABLE log (
    trial_id INTEGER PRIMARY KEY REFERENCES trial,
    written_bytes INTEGER NOT NULL CHECK (written_bytes > 0), -- in all; what lies between head and tail was not kept
    head BLOB NOT NULL,
    tail BLOB NOT NULL, -- what follows the head when nothing was left out
    CHECK (length(head) + length(tail) <= written_bytes)
) STRICT;
CREATE TABLE event (
    event_id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session,
    trial_id INTEGER REFERENCES trial,
    at_utc_ns INTEGER NOT NULL,
    severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'error')),
    kind TEXT NOT NULL, -- stable word: server_crashed, preflight, interrupted …
    text TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX cell_point ON cell (workload_id, connection_count, ifnull(rate_per_s, 0));
INSERT INTO session(session_id,session_uid,state,title,plan_text,plan_digest,program_version,started_utc_ns,ended_utc_ns) VALUES
(1,'73696e676c6500112233445566778899','finished','epoll against one thread per connection','title: "demo"
baseline: blocking
trials: 6
aa: true
settle: 0s
warmup: 500ms
window: 3s
cooldown: 300ms
sample: 500ms
seed: 42
claims:
  - id: "C1"
    ratio: throughput
    of: "epoll"
    over: "blocking"
    workload: "ping"
    at_least: 1.5
  - id: "C2"
    order: server_cpu
    engines:
      - "epoll"
      - "blocking"
  - id: "C3"
    bound: rss
    of: "epoll"
    workload: "ping"
    connections: 125
    at_most: 2097152
  - id: "C4"
    level: throughput
    of: "blocking"
    workload: "ping"
    value: 31000/s
    within: 1%
  - id: "C5"
    no_errors: true
    workload: "ping"
  - id: "C6"
    bound: p99
    of: "epoll"
    workload: "ping"
    at_most: 20ms
','25e65e41e04412aa004de3bdd1bd92a2ae74e7da42b130739bd65cbd95df9c49','0.1.0+test',1793491200000000000,1793492200000000000);
INSERT INTO fact(session_id,moment,name,value) VALUES
(1,'end','cpu.count','2'),
(1,'end','cpu.governor',NULL),
(1,'end','cpu.model','Example CPU at 3.0 GHz'),
(1,'end','driver.cpus','1'),
(1,'end','driver.engine','epoll'),
(1,'end','driver.threads','1'),
(1,'end','kernel.release','6.1.0-18-amd64'),
(1,'end','memory.total_kib','8040212'),
(1,'end','order.generator','splitmix64/xoshiro256**'),
(1,'end','order.seed','42'),
(1,'end','os.libc','glibc 2.36'),
(1,'end','pressure.cpu_avg10','1.85'),
(1,'end','server.cpus','0'),
(1,'start','cpu.count','2'),
(1,'start','cpu.governor',NULL),
(1,'start','cpu.model','Example CPU at 3.0 GHz'),
(1,'start','driver.cpus','1'),
(1,'start','driver.engine','epoll'),
(1,'start','driver.threads','1'),
(1,'start','kernel.release','6.1.0-18-amd64'),
(1,'start','memory.total_kib','8040212'),
(1,'start','order.generator','splitmix64/xoshiro256**'),
(1,'start','order.seed','42'),
(1,'start','os.libc','glibc 2.36'),
(1,'start','pressure.cpu_avg10','0.42'),
(1,'start','server.cpus','0');
INSERT INTO engine(engine_id,session_id,name,role,kind,source,thread_count,command,binary_sha256) VALUES
(1,1,'epoll','subject','builtin','epoll',0,'["tacho-engine","epoll"]','0000000000000000000000000000000000000000000000000000000000000007'),
(2,1,'blocking','baseline','builtin','blocking',0,'["tacho-engine","blocking"]','0000000000000000000000000000000000000000000000000000000000000007'),
(3,1,'blocking (A/A)','aa','builtin','blocking',0,'["tacho-engine","blocking"]','0000000000000000000000000000000000000000000000000000000000000007'),
(4,1,'limit','limit','builtin','limit',0,'["tacho-engine","limit"]','0000000000000000000000000000000000000000000000000000000000000007');
INSERT INTO workload(workload_id,session_id,name,is_calibration,method,path,body_bytes,expect_status,expect_body_bytes,expect_body_sha256,pipeline_count) VALUES
(1,1,'limit',1,'GET','/ping',0,200,4,'9795c5ff8937f23526ccb207a5684c1fc94a7854e19c021b39d944e51f5baef2',1),
(2,1,'ping',0,'GET','/ping',0,200,4,'9795c5ff8937f23526ccb207a5684c1fc94a7854e19c021b39d944e51f5baef2',1);
INSERT INTO cell(cell_id,workload_id,connection_count) VALUES
(1,1,125),
(2,2,125);
INSERT INTO trial(trial_id,session_id,cell_id,engine_id,order_index,attempt_index,sitting_index,block_index,position_index,state,started_utc_ns,ended_utc_ns,ready_ns,connections_requested,connections_established,connections_served,started_count,server_request_count,server_exit) VALUES
(1,1,1,4,0,0,0,NULL,NULL,'finished',1793491200000000000,1793491204300000000,3200000,125,125,125,313907,313907,'exit 0'),
(2,1,2,1,1,0,0,0,0,'finished',1793491205000000000,1793491209300000000,3200000,125,125,125,182809,182809,'exit 0'),
(3,1,2,2,2,0,0,0,1,'finished',1793491210000000000,1793491214300000000,3200000,125,125,125,105807,105807,'exit 0'),
(4,1,2,3,3,0,0,0,2,'finished',1793491215000000000,1793491219300000000,3200000,125,125,125,106083,106083,'exit 0'),
(20,1,1,4,19,0,0,NULL,NULL,'finished',1793491295000000000,1793491299300000000,3200000,125,125,125,311403,311403,'exit 0');
INSERT INTO sample(trial_id,sample_index,phase,start_ns,end_ns,started_count,ok_count,http_error_count,fault_count,in_flight_count,connection_count,reconnect_count,resent_count,sent_bytes,received_bytes,latency_sum_ns,latency_max_ns,latency_overflow_count,driver_user_ns,driver_system_ns,driver_sleep_count,driver_spin_ns,server_user_ns,server_system_ns,server_rss_kib,server_pss_kib,server_process_count,server_thread_count,server_fd_count,server_voluntary_switch_count,server_involuntary_switch_count,server_run_delay_ns,server_minor_fault_count,server_major_fault_count,server_request_count,server_open_count,server_accept_queue_count,collector_cpu_ns,collector_run_delay_ns,collector_major_fault_count,machine_busy_ns,machine_idle_ns,machine_user_ns,machine_system_ns,machine_iowait_ns,machine_softirq_ns,machine_steal_ns,machine_interrupt_count,machine_softirq_count,machine_switch_count,machine_runnable_count,machine_pressure_cpu_ns,machine_pressure_io_ns,machine_pressure_memory_ns,machine_memory_available_kib,machine_kernel_stack_kib,machine_slab_kib,machine_swap_in_kib,machine_swap_out_kib,machine_listen_overflow_count,machine_listen_drop_count,machine_syncookie_count,machine_retransmit_count,machine_reset_count,machine_time_wait_count,machine_time_wait_overflow_count,machine_softnet_drop_count,machine_softnet_squeeze_count,machine_throttled_count,machine_throttled_ns,lateness_ns) VALUES
(1,0,'warmup',0,500000000,45048,44923,0,0,125,125,0,0,1711824,3683686,62723416594,4980593,0,81837386,245512157,900,0,81094376,369429931,1579,NULL,1,1,133,40,12,50000,210,0,44923,125,0,328849543,0,0,828426280,171573720,276142093,507231757,0,45052430,0,0,0,0,2,5000000,0,0,6197062,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,148325),
(1,1,'window',500000000,1000000000,44972,44972,0,0,125,125,0,0,1708936,3687704,62804347318,4988658,0,82452837,247358509,900,0,81863351,372933039,1549,NULL,1,1,133,40,12,50000,0,0,44972,125,0,331311346,0,0,835587375,164412625,278529125,511578611,0,45479639,0,0,0,0,2,5000000,0,0,6197452,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,123769),
(1,2,'window',1000000000,1500000000,44822,44822,0,0,125,125,0,0,1703236,3675404,62583586007,4989306,0,82468162,247404483,900,0,81299265,370363317,1567,1471,1,1,133,40,12,50000,0,0,44822,125,0,331372645,0,0,832201485,167798515,277400495,509634732,0,45166258,0,0,0,0,2,5000000,0,0,6197858,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,131263),
(1,3,'window',1500000000,2000000000,44857,44857,0,0,125,125,0,0,1704566,3678274,62631596426,4989058,0,83838723,251516168,900,0,82063240,373843646,1594,NULL,1,1,133,40,12,50000,0,0,44857,125,0,336854891,0,0,842352465,157647535,280784155,515977622,0,45590688,0,0,0,0,2,5000000,0,0,6199575,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,77898),
(1,4,'window',2000000000,2500000000,44556,44556,0,0,125,125,0,0,1693128,3653592,62213695716,4973230,0,83390631,250171893,900,0,82039621,373736046,1594,NULL,1,1,133,40,12,50000,0,0,44556,125,0,335062524,0,0,840415757,159584243,280138585,514699606,0,45577566,0,0,0,0,2,5000000,0,0,6196086,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,100469),
(1,5,'window',2500000000,3000000000,44777,44777,0,0,125,125,0,0,1701526,3671714,62512259754,4986764,0,83128018,249384052,900,0,80962970,368831305,1558,NULL,1,1,133,40,12,50000,0,0,44777,125,0,334012070,0,0,832785772,167214228,277595257,510211088,0,44979427,0,0,0,0,2,5000000,0,0,6197231,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,100861),
(1,6,'window',3000000000,3500000000,44875,44875,0,0,125,125,0,0,1705250,3679750,62663870770,4988189,0,83471917,250415751,900,0,82296618,374906812,1586,1490,1,1,133,40,12,50000,0,0,44875,125,0,335387668,0,0,842311441,157688559,280770480,515820618,0,45720343,0,0,0,0,2,5000000,0,0,6199894,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,85319),
(1,7,'drain',3500000000,3520000000,0,125,0,0,0,125,0,0,0,10250,174488429,3293235,0,66310,198929,900,0,66143,301316,1593,NULL,1,1,133,40,12,50000,0,0,125,125,0,1765239,0,0,2329443,37670557,776481,1516217,0,36745,0,0,0,0,2,200000,0,0,6199836,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,114035),
(2,0,'warmup',0,500000000,26085,25960,0,0,125,125,0,0,991230,2128720,62135463183,8539580,0,83104679,249314037,900,0,92403081,369612321,1868,NULL,1,1,133,40,12,50000,210,0,25960,125,0,333918716,0,0,846135658,153864342,282045219,517888899,0,46201540,0,0,0,0,2,5000000,0,0,6197321,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,109787),
(2,1,'window',500000000,1000000000,26299,26299,0,0,125,125,0,0,999362,2156518,62941770587,8539685,0,83060675,249182023,900,0,93151520,372606079,1853,NULL,1,1,133,40,12,50000,0,0,26299,125,0,333742698,0,0,850076056,149923944,283358685,520141612,0,46575759,0,0,0,0,2,5000000,0,0,6198351,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,143382),
(2,2,'window',1000000000,1500000000,26160,26160,0,0,125,125,0,0,994080,2145120,62605464083,8490911,0,82737853,248213557,900,0,92426715,369706857,1835,1739,1,1,133,40,12,50000,0,0,26160,125,0,332451410,0,0,844798339,155201661,281599446,516985536,0,46213357,0,0,0,0,2,5000000,0,0,6199319,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,126849),
(2,3,'window',1500000000,2000000000,25982,25982,0,0,125,125,0,0,987316,2130524,62193744397,8532999,0,83117756,249353267,900,0,92519762,370079046,1866,NULL,1,1,133,40,12,50000,0,0,25982,125,0,333971023,0,0,846829711,153170289,282276570,518293261,0,46259880,0,0,0,0,2,5000000,0,0,6196349,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,94892),
(2,4,'window',2000000000,2500000000,26148,26148,0,0,125,125,0,0,993624,2144136,62571177928,8526855,0,82809104,248427312,900,0,92215780,368863119,1862,NULL,1,1,133,40,12,50000,0,0,26148,125,0,332736416,0,0,843923204,156076796,281307734,516507581,0,46107889,0,0,0,0,2,5000000,0,0,6199153,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,73199),
(2,5,'window',2500000000,3000000000,26117,26117,0,0,125,125,0,0,992446,2141594,62507261317,8520717,0,82715401,248146200,900,0,92357087,369428346,1837,NULL,1,1,133,40,12,50000,0,0,26117,125,0,332361601,0,0,844325577,155674423,281441859,516705175,0,46178543,0,0,0,0,2,5000000,0,0,6197605,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,136039),
(2,6,'window',3000000000,3500000000,26018,26018,0,0,125,125,0,0,988684,2133476,62255413468,8530482,0,81615576,244846726,900,0,92352016,369408063,1851,1755,1,1,133,40,12,50000,0,0,26018,125,0,327962302,0,0,839898388,160101612,279966129,513756252,0,46176007,0,0,0,0,2,5000000,0,0,6199371,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,68301),
(2,7,'drain',3500000000,3520000000,0,125,0,0,0,125,0,0,0,10250,299206677,5488356,0,66045,198133,900,0,75216,300862,1848,NULL,1,1,133,40,12,50000,0,0,125,125,0,1764178,0,0,2337863,37662137,779287,1520969,0,37607,0,0,0,0,2,200000,0,0,6198369,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,132696),
(3,0,'warmup',0,500000000,15174,15049,0,0,125,125,0,0,576612,1234018,62376519692,14766836,0,83207175,249621523,900,0,66617968,409224655,5299,NULL,1,126,133,5040,12,6300000,210,0,15049,125,0,334328698,0,0,861755583,138244417,287251861,526919460,0,47584262,0,0,0,0,2,5000000,0,0,6199227,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,92100),
(3,1,'window',500000000,1000000000,15098,15098,0,0,125,125,0,0,573724,1238036,62587562350,14645865,0,84430439,253291317,900,0,66959685,411323779,5264,NULL,1,126,133,5040,12,6300000,0,0,15098,125,0,339221756,0,0,869333566,130666434,289777855,531727365,0,47828346,0,0,0,0,2,5000000,0,0,6196347,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,106461),
(3,2,'window',1000000000,1500000000,15071,15071,0,0,125,125,0,0,572698,1235822,62481364745,14764978,0,83506326,250518978,900,0,67436203,414250960,5263,5167,1,126,133,5040,12,6300000,0,0,15071,125,0,335525304,0,0,869381183,130618817,289793727,531418740,0,48168716,0,0,0,0,2,5000000,0,0,6197500,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,100037),
(3,3,'window',1500000000,2000000000,15268,15268,0,0,125,125,0,0,580184,1251976,63303053466,14637285,0,83606944,250820831,900,0,67117640,412294074,5266,NULL,1,126,133,5040,12,6300000,0,0,15268,125,0,335927775,0,0,867280660,132719340,289093553,530245936,0,47941171,0,0,0,0,2,5000000,0,0,6196563,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,145929),
(3,4,'window',2000000000,2500000000,15064,15064,0,0,125,125,0,0,572432,1235248,62444582776,14795175,0,81860191,245580572,900,0,67094606,412152573,5294,NULL,1,126,133,5040,12,6300000,0,0,15064,125,0,328940763,0,0,860112659,139887341,286704219,525483723,0,47924717,0,0,0,0,2,5000000,0,0,6196266,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,72157),
(3,5,'window',2500000000,3000000000,15022,15022,0,0,125,125,0,0,570836,1231804,62269914460,14807041,0,82317081,246951240,900,0,67364587,413811030,5274,NULL,1,126,133,5040,12,6300000,0,0,15022,125,0,330768321,0,0,864061499,135938501,288020499,527923439,0,48117561,0,0,0,0,2,5000000,0,0,6197204,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,99976),
(3,6,'window',3000000000,3500000000,15110,15110,0,0,125,125,0,0,574180,1239020,62671075056,14803367,0,82858806,248576416,900,0,65917479,404921654,5301,5205,1,126,133,5040,12,6300000,0,0,15110,125,0,332935222,0,0,854858268,145141732,284952756,522821599,0,47083913,0,0,0,0,2,5000000,0,0,6198094,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,118057),
(3,7,'drain',3500000000,3520000000,0,125,0,0,0,125,0,0,0,10250,517669295,9475317,0,66580,199738,900,0,53339,327650,5273,NULL,1,126,133,5040,12,6300000,0,0,125,125,0,1766318,0,0,2345405,37654595,781801,1525506,0,38098,0,0,0,0,2,200000,0,0,6198194,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,130587),
(4,0,'warmup',0,500000000,15253,15128,0,0,125,125,0,0,579614,1240496,62511550463,14692604,0,83638453,250915356,900,0,66960941,411331489,5298,NULL,1,126,133,5040,12,6300000,210,0,15128,125,0,336053809,0,0,866175482,133824518,288725160,529621079,0,47829243,0,0,0,0,2,5000000,0,0,6198707,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,109769),
(4,1,'window',500000000,1000000000,15201,15201,0,0,125,125,0,0,577638,1246482,62795538297,14650742,0,82723426,248170275,900,0,66624343,409263818,5294,NULL,1,126,133,5040,12,6300000,0,0,15201,125,0,332393701,0,0,859870678,140129322,286623559,525658303,0,47588816,0,0,0,0,2,5000000,0,0,6198313,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,132150),
(4,2,'window',1000000000,1500000000,15105,15105,0,0,125,125,0,0,573990,1238610,62433954990,14761964,0,82135129,246405387,900,0,66203165,406676581,5257,5161,1,126,133,5040,12,6300000,0,0,15105,125,0,330040516,0,0,854208236,145791764,284736078,522184184,0,47287974,0,0,0,0,2,5000000,0,0,6196713,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,60505),
(4,3,'window',1500000000,2000000000,15164,15164,0,0,125,125,0,0,576232,1243448,62685555750,14659014,0,81338847,244016540,900,0,66700767,409733277,5274,NULL,1,126,133,5040,12,6300000,0,0,15164,125,0,326855387,0,0,854932835,145067165,284977611,522311820,0,47643404,0,0,0,0,2,5000000,0,0,6198701,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,105965),
(4,4,'window',2000000000,2500000000,15053,15053,0,0,125,125,0,0,572014,1234346,62204361630,14628341,0,82762413,248287236,900,0,66894652,410924288,5289,NULL,1,126,133,5040,12,6300000,0,0,15053,125,0,332549649,0,0,862150483,137849517,287383494,526985095,0,47781894,0,0,0,0,2,5000000,0,0,6197298,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,74842),
(4,5,'window',2500000000,3000000000,15105,15105,0,0,125,125,0,0,573990,1238610,62430448557,14684004,0,82936978,248810932,900,0,68086410,418245084,5242,NULL,1,126,133,5040,12,6300000,0,0,15105,125,0,333247910,0,0,872212553,127787447,290737517,532841887,0,48633149,0,0,0,0,2,5000000,0,0,6198217,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,124677),
(4,6,'window',3000000000,3500000000,15202,15202,0,0,125,125,0,0,577676,1246564,62798665392,14663701,0,83071157,249213469,900,0,66832685,410543636,5269,5173,1,126,133,5040,12,6300000,0,0,15202,125,0,333784626,0,0,862898579,137101421,287632859,527528088,0,47737632,0,0,0,0,2,5000000,0,0,6198771,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,88613),
(4,7,'drain',3500000000,3520000000,0,125,0,0,0,125,0,0,0,10250,515771867,9322908,0,66202,198605,900,0,53863,330871,5256,NULL,1,126,133,5040,12,6300000,0,0,125,125,0,1764807,0,0,2348014,37651986,782671,1526870,0,38473,0,0,0,0,2,200000,0,0,6198229,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,99824),
(20,0,'warmup',0,500000000,44599,44474,0,0,125,125,0,0,1694762,3646868,62457467050,5018429,0,82252872,246758616,900,0,82595648,376269061,1543,NULL,1,1,133,40,12,50000,210,0,44474,125,0,330511488,0,0,839262667,160737333,279754222,513621975,0,45886470,0,0,0,0,2,5000000,0,0,6196424,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,144140),
(20,1,'window',500000000,1000000000,44270,44270,0,0,125,125,0,0,1682260,3630140,62177053611,4970231,0,81860032,245580095,900,0,80991336,368960528,1576,NULL,1,1,133,40,12,50000,0,0,44270,125,0,328940127,0,0,827887177,172112823,275962392,506929599,0,44995186,0,0,0,0,2,5000000,0,0,6196096,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,111356),
(20,2,'window',1000000000,1500000000,44375,44375,0,0,125,125,0,0,1686250,3638750,62313575551,5000800,0,82736131,248208391,900,0,82570118,376152755,1562,1466,1,1,133,40,12,50000,0,0,44375,125,0,332444522,0,0,841039682,158960318,280346560,514820835,0,45872287,0,0,0,0,2,5000000,0,0,6197025,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,141659),
(20,3,'window',1500000000,2000000000,44534,44534,0,0,125,125,0,0,1692292,3651788,62558732689,5011003,0,83423325,250269975,900,0,80680518,367544580,1549,NULL,1,1,133,40,12,50000,0,0,44534,125,0,335193300,0,0,832240907,167759093,277413635,510004763,0,44822509,0,0,0,0,2,5000000,0,0,6198484,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,91723),
(20,4,'window',2000000000,2500000000,44627,44627,0,0,125,125,0,0,1695826,3659414,62678138863,5001892,0,82104142,246312425,900,0,81375896,370712413,1603,NULL,1,1,133,40,12,50000,0,0,44627,125,0,329916567,0,0,831213706,168786294,277071235,508933641,0,45208830,0,0,0,0,2,5000000,0,0,6198121,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,126442),
(20,5,'window',2500000000,3000000000,44738,44738,0,0,125,125,0,0,1700044,3668516,62831267012,5013132,0,83338578,250015732,900,0,81326949,370489430,1594,NULL,1,1,133,40,12,50000,0,0,44738,125,0,334854310,0,0,835852326,164147674,278617442,512053247,0,45181637,0,0,0,0,2,5000000,0,0,6196218,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,128481),
(20,6,'window',3000000000,3500000000,44260,44260,0,0,125,125,0,0,1681880,3629320,62166407733,5006427,0,83351586,250054755,900,0,81852719,372884604,1596,1500,1,1,133,40,12,50000,0,0,44260,125,0,334906341,0,0,839117396,160882604,279705798,513937866,0,45473732,0,0,0,0,2,5000000,0,0,6197282,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,113595),
(20,7,'drain',3500000000,3520000000,0,125,0,0,0,125,0,0,0,10250,175652452,3324289,0,67245,201735,900,0,65518,298470,1573,NULL,1,1,133,40,12,50000,0,0,125,125,0,1768980,0,0,2329366,37670634,776455,1516513,0,36398,0,0,0,0,2,200000,0,0,6196361,2400,60000,0,0,0,0,0,0,0,0,0,0,0,0,0,95123);
INSERT INTO outcome(trial_id,sample_index,kind,count) VALUES
(1,0,'ok',44923),
(1,1,'ok',44972),
(1,2,'ok',44822),
(1,3,'ok',44857),
(1,4,'ok',44556),
(1,5,'ok',44777),
(1,6,'ok',44875),
(1,7,'ok',125),
(2,0,'ok',25960),
(2,1,'ok',26299),
(2,2,'ok',26160),
(2,3,'ok',25982),
(2,4,'ok',26148),
(2,5,'ok',26117),
(2,6,'ok',26018),
(2,7,'ok',125),
(3,0,'ok',15049),
(3,1,'ok',15098),
(3,2,'ok',15071),
(3,3,'ok',15268),
(3,4,'ok',15064),
(3,5,'ok',15022),
(3,6,'ok',15110),
(3,7,'ok',125),
(4,0,'ok',15128),
(4,1,'ok',15201),
(4,2,'ok',15105),
(4,3,'ok',15164),
(4,4,'ok',15053),
(4,5,'ok',15105),
(4,6,'ok',15202),
(4,7,'ok',125),
(20,0,'ok',44474),
(20,1,'ok',44270),
(20,2,'ok',44375),
(20,3,'ok',44534),
(20,4,'ok',44627),
(20,5,'ok',44738),
(20,6,'ok',44260),
(20,7,'ok',125);
INSERT INTO event(event_id,session_id,at_utc_ns,severity,kind,text) VALUES
(1,1,1793491200000000000,'warning','preflight','CPU boost: 1; should be: 0 (off)');
COMMIT;
