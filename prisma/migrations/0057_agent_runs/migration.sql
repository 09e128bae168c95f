-- The runs of agents that have reported a source lately: [{"runId", "firstMs", "lastMs"}], times by the service's clock in
-- milliseconds since 1970. Null: no agent has told its run.
ALTER TABLE audit_source ADD COLUMN runs jsonb;
