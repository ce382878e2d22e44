-- What is known at the end is known better at the end of a later sitting; what the start was stays.
INSERT INTO fact (session_id, moment, name, value)
VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (session_id, moment, name) DO UPDATE SET value = excluded.value WHERE moment = 'end';
