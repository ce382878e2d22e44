-- Every trial of the newest session, with what makes it one to play again or not.
SELECT trial.trial_id, session.session_uid, engine.name, workload.name, cell.connection_count, cell.rate_per_s,
       trial.block_index, trial.ready_ns, trial.connections_requested, trial.connections_established,
       trial.connections_served, trial.started_count, trial.server_request_count, trial.state, workload.driver,
       cell.rate_course
FROM trial
JOIN session ON session.session_id = trial.session_id
JOIN engine ON engine.engine_id = trial.engine_id
JOIN cell ON cell.cell_id = trial.cell_id
JOIN workload ON workload.workload_id = cell.workload_id
WHERE trial.session_id = (SELECT max(session_id) FROM session)
ORDER BY trial.trial_id
