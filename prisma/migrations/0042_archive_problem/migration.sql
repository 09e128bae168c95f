-- Why the last attempt to put a week of the tenant into a file failed. NULL: it did not.
ALTER TABLE audit_archive ADD COLUMN problem_week int, ADD COLUMN problem text, ADD COLUMN problem_at timestamptz(3);

-- An instance that finds no file tells a file that lies outside from one that is lost.
GRANT SELECT ON audit_sealed_file TO audit_activity_service;
