-- Since when an agent has had its problem, by the service's clock. Null: it has none, or the release before wrote the row.
ALTER TABLE audit_source ADD COLUMN problem_since timestamptz(3);

-- How far the agent's clock was ahead of the service's at its last report that told; below zero: behind. Null: not known.
ALTER TABLE audit_source ADD COLUMN clock_ahead_ms bigint;
