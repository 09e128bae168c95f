-- How far the beginning of a tenant's evidence log names nothing but events that retention has removed: readers of the
-- log pass it at once.
CREATE TABLE audit_log_gone (
  tenant_id int NOT NULL,
  -- Every position before it is of an event that is gone.
  position bigint NOT NULL,
  -- End of the last run of retention after which it was looked for; null: not to its end yet.
  looked_until timestamptz(3),
  PRIMARY KEY (tenant_id)
);

ALTER TABLE audit_log_gone ENABLE ROW LEVEL SECURITY;

ALTER TABLE audit_log_gone FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON audit_log_gone TO audit_activity_service USING (tenant_id = ANY ((
  SELECT string_to_array(current_setting('app.tenants', true), ',')::int[])::int[]));

CREATE POLICY owner ON audit_log_gone TO CURRENT_USER USING (true);

GRANT SELECT ON audit_log_gone TO audit_activity_service;
