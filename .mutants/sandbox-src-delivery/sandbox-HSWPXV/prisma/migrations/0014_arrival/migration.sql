-- When the entries of a tile of level 0 were received: runs of neighbours with one time, 8 bytes each: where the run ends
-- within the tile (2 bytes), and milliseconds since 1970 (6 bytes; 0: not known). What lies behind the last run was
-- appended by the release before, which does not say it.
ALTER TABLE audit_log_tile ADD COLUMN arrivals bytea;

-- Where to look for a time of arrival: the first entry received in a minute since 1970, or later. A minute has a row
-- where no entry before was received as late.
CREATE TABLE audit_log_arrival (
  tenant_id int NOT NULL,
  minute int NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (tenant_id, minute)
);

ALTER TABLE audit_log_arrival ENABLE ROW LEVEL SECURITY;

ALTER TABLE audit_log_arrival FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON audit_log_arrival TO audit_activity_service USING (tenant_id = ANY ((
  SELECT string_to_array(current_setting('app.tenants', true), ',')::int[])::int[]));

CREATE POLICY owner ON audit_log_arrival TO CURRENT_USER USING (true);

GRANT SELECT ON audit_log_arrival TO audit_activity_service;
