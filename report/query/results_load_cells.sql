SELECT cell_id, cell.workload_id, connection_count, rate_per_s, arrivals, rate_course
FROM cell
JOIN workload ON workload.workload_id = cell.workload_id
WHERE workload.session_id = ?1
ORDER BY cell_id
