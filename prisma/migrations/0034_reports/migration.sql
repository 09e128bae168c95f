-- Runs of reports. A run that is done never changes; its files are removed when it is over, and the row stays.
CREATE TABLE report_run (
  tenant_id int NOT NULL,
  run_id uuid NOT NULL,
  report_id text NOT NULL,
  -- making, done or over.
  state text NOT NULL,
  -- The name of the key or person that asked for it.
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  -- From then on the files may be removed.
  expires_at timestamptz(3) NOT NULL,
  -- 1, 2, 3, … in the tenant, once it is done.
  number int,
  -- What the run is, with the hashes of its files, in JSON; and the signed note with the hash of this text.
  manifest text,
  note text,
  -- Of all its files, compressed.
  bytes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, run_id)
);

CREATE UNIQUE INDEX report_run_number ON report_run (tenant_id, number);
CREATE INDEX report_run_newest ON report_run (tenant_id, report_id, created_at);
CREATE INDEX report_run_expires ON report_run (expires_at) WHERE state <> 'over';

-- The files of runs, in pieces.
CREATE TABLE report_piece (
  tenant_id int NOT NULL,
  run_id uuid NOT NULL,
  format text NOT NULL,
  piece int NOT NULL,
  -- Compressed with gzip, each piece by itself.
  bytes bytea NOT NULL,
  PRIMARY KEY (tenant_id, run_id, format, piece)
);

ALTER TABLE report_piece ALTER COLUMN bytes SET STORAGE EXTERNAL;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['report_run', 'report_piece']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenants ON %I TO audit_activity_service USING (tenant_id = ANY ((
      SELECT string_to_array(current_setting(''app.tenants'', true), '','')::int[])::int[]))', name);
    EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true)', name);
  END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE ON report_run TO audit_activity_service;

GRANT SELECT, INSERT ON report_piece TO audit_activity_service;
