-- Every session of the file, oldest first.
SELECT session_id, session_uid, state, reason, title, plan_digest, program_version, started_utc_ns, ended_utc_ns,
       (SELECT count(*) FROM engine WHERE engine.session_id = session.session_id AND role != 'limit'),
       (SELECT count(*) FROM cell JOIN workload ON workload.workload_id = cell.workload_id
        WHERE workload.session_id = session.session_id AND is_calibration = 0)
FROM session
ORDER BY session_id
