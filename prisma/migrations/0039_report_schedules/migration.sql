-- When runs of reports are made, and where they are sent.
CREATE TABLE report_schedule (
  tenant_id int NOT NULL,
  schedule_id uuid NOT NULL,
  -- JSON: report, times, parameters and receiver.
  definition text NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  paused boolean NOT NULL,
  -- The next time of the schedule, and the end of what its runs cover so far.
  due_at timestamptz(3) NOT NULL,
  covered_until timestamptz(3) NOT NULL,
  -- Somebody asked for a run now.
  asked boolean NOT NULL DEFAULT false,
  -- JSON: the run that is being made or sent; null: none.
  pending text,
  -- Failures in a row of this run, the newest reason, and when it is tried again.
  failures int NOT NULL DEFAULT 0,
  error text,
  retry_at timestamptz(3),
  last_run_id uuid,
  last_run_at timestamptz(3),
  holder uuid,
  held_until timestamptz(3),
  PRIMARY KEY (tenant_id, schedule_id)
);

CREATE INDEX report_schedule_due ON report_schedule (due_at) WHERE NOT paused;

DO $$
BEGIN
  EXECUTE 'ALTER TABLE report_schedule ENABLE ROW LEVEL SECURITY';
  EXECUTE 'ALTER TABLE report_schedule FORCE ROW LEVEL SECURITY';
  EXECUTE 'CREATE POLICY tenants ON report_schedule TO audit_activity_service USING (tenant_id = ANY ((
      SELECT string_to_array(current_setting(''app.tenants'', true), '','')::int[])::int[]))';
  EXECUTE 'CREATE POLICY owner ON report_schedule TO CURRENT_USER USING (true)';
END $$;

GRANT SELECT, INSERT, UPDATE, DELETE ON report_schedule TO audit_activity_service;
