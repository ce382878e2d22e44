-- The metrics are the columns from started_count on, in the order of collector/metrics.def; the histograms are last.
SELECT *
FROM sample
WHERE trial_id = ?1
ORDER BY sample_index
