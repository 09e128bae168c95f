-- Days a tenant's events are kept; null keeps them for ever. Column and check apart: a distributed table takes
-- them one at a time.
ALTER TABLE tenant ADD COLUMN retention_days int;

ALTER TABLE tenant ADD CONSTRAINT tenant_retention_days_positive CHECK (retention_days > 0);

-- What retention removed: one row for each run that removed something of a tenant.
CREATE TABLE retention_run (
  tenant_id int NOT NULL,
  run_id uuid NOT NULL,
  retention_days int NOT NULL,
  events bigint NOT NULL,
  from_time timestamptz(3) NOT NULL,
  to_time timestamptz(3) NOT NULL,
  partitions text[] NOT NULL,
  started_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, run_id)
);

-- Finds counts that came down to nothing without reading the others.
CREATE INDEX audit_count_empty ON audit_count (tenant_id) WHERE n = 0;
