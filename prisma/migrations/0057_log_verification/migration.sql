-- Each time somebody compares the entries of a tenant's evidence log with the stored events, from the first entry on.
CREATE TABLE audit_log_verification (
  tenant_id int NOT NULL,
  begun_at timestamptz(3) NOT NULL,
  -- The entry with which the next stretch begins.
  next bigint NOT NULL,
  -- Null: the last entry has not been reached.
  ended_at timestamptz(3),
  -- Events that are altered or missing.
  wrong int NOT NULL,
  -- The first problem that was found; null: none.
  problem text COLLATE "C",
  PRIMARY KEY (tenant_id, begun_at)
);

ALTER TABLE audit_log_verification ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_log_verification FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON audit_log_verification TO audit_activity_service USING (tenant_id = ANY ((
  SELECT string_to_array(current_setting('app.tenants', true), ',')::int[])::int[]));
CREATE POLICY owner ON audit_log_verification TO CURRENT_USER USING (true);

GRANT SELECT, INSERT, UPDATE ON audit_log_verification TO audit_activity_service;
