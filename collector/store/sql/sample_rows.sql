-- The metrics are the columns from started_count on, in the order of collector/metrics.def; the histograms are last. The
-- last column is asked for first as well: then SQLite looks through the header of a row once, and not for each column.
SELECT lag_histogram, *
FROM sample
WHERE trial_id = ?1
ORDER BY sample_index
