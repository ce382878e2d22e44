-- At every opening, when no other writer can be: what still runs was left by a program that was killed.
BEGIN IMMEDIATE;
UPDATE trial SET state = 'aborted', reason = 'the program ended without a word' WHERE state = 'running';
UPDATE session SET state = 'aborted', reason = 'the program ended without a word' WHERE state = 'running';
COMMIT;
