-- The tables in which a row refers to one that is not there. The two long ones refer to trials alone and begin their keys
-- with them: there each trial is sought once, and not for each row.
WITH RECURSIVE
sampled(id) AS (
    SELECT min(trial_id) FROM sample
    UNION ALL
    SELECT (SELECT min(trial_id) FROM sample WHERE trial_id > id) FROM sampled WHERE id IS NOT NULL
),
ended(id) AS (
    SELECT min(trial_id) FROM outcome
    UNION ALL
    SELECT (SELECT min(trial_id) FROM outcome WHERE trial_id > id) FROM ended WHERE id IS NOT NULL
)
SELECT 'sample' FROM sampled WHERE id IS NOT NULL AND id NOT IN (SELECT trial_id FROM trial)
UNION ALL
SELECT 'outcome' FROM ended WHERE id IS NOT NULL AND id NOT IN (SELECT trial_id FROM trial)
UNION ALL
SELECT missing."table"
FROM sqlite_schema AS objects, pragma_foreign_key_check(objects.name) AS missing
WHERE objects.type = 'table' AND objects.name NOT IN ('sample', 'outcome')
