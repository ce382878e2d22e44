INSERT INTO trial (session_id, cell_id, engine_id, order_index, attempt_index, sitting_index, block_index,
    position_index, state, started_utc_ns)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'running', ?9);
