-- Counts by server instance are rows of audit_count with a negative a; what they say of a day holds while the row of
-- a = -1 has the day's count. Days that are stored already have none, and are counted in the background.
-- Null: written by the release before, which does not say the instance.
ALTER TABLE audit_delta ADD COLUMN server_instance_name text COLLATE "C";

-- Nothing is taken off the counts without its instance. Where the release before still runs, its removal of single
-- expired events fails, and this release does it.
ALTER TABLE audit_delta ADD CONSTRAINT audit_delta_removes_by_instance CHECK (n >= 0 OR server_instance_name IS NOT NULL) NOT VALID;
