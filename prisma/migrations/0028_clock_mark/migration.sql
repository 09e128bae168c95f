-- Events whose time cannot be right, because the clock of their server is wrong, or that of the service. Retention counts
-- them from their arrival.
CREATE TABLE audit_clock (
  tenant_id int NOT NULL,
  record_id uuid NOT NULL,
  -- By the database's clock.
  received_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, record_id)
);

CREATE INDEX audit_clock_received ON audit_clock (tenant_id, received_at);

ALTER TABLE audit_clock ENABLE ROW LEVEL SECURITY;

ALTER TABLE audit_clock FORCE ROW LEVEL SECURITY;

CREATE POLICY tenants ON audit_clock TO audit_activity_service USING (tenant_id = ANY ((
  SELECT string_to_array(current_setting('app.tenants', true), ',')::int[])::int[]));

CREATE POLICY owner ON audit_clock TO CURRENT_USER USING (true);

GRANT SELECT, INSERT ON audit_clock TO audit_activity_service;

-- Whether a run counted the days of its events from their arrival, and not from their times.
ALTER TABLE retention_run ADD COLUMN by_arrival bool NOT NULL DEFAULT false;
