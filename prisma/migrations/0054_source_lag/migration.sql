-- How far each source was behind: for each hour and class of lag, the number of minutes, and the worst lag of them.
CREATE TABLE audit_source_lag (
  tenant_id int NOT NULL,
  host_name text COLLATE "C" NOT NULL,
  database_name text COLLATE "C" NOT NULL,
  hour timestamptz(3) NOT NULL,
  lag_class int NOT NULL,
  minutes int NOT NULL,
  worst_ms bigint NOT NULL,
  PRIMARY KEY (tenant_id, host_name, database_name, hour, lag_class)
);

ALTER TABLE audit_source_lag ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_source_lag FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON audit_source_lag TO audit_activity_service USING (tenant_id = ANY ((
  SELECT string_to_array(current_setting('app.tenants', true), ',')::int[])::int[]));
CREATE POLICY owner ON audit_source_lag TO CURRENT_USER USING (true);

GRANT SELECT, INSERT, UPDATE ON audit_source_lag TO audit_activity_service;
