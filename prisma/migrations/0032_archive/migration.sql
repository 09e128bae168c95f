-- Tenants whose weeks may lie in files. A row is there for some time before the first week of its tenant is sealed, and
-- stays for good.
CREATE TABLE audit_archive (
  tenant_id int PRIMARY KEY,
  -- Counts the weeks that were sealed and restored: who stores events of earlier weeks compares it.
  generation bigint NOT NULL DEFAULT 0,
  since timestamptz(3) NOT NULL DEFAULT now(),
  -- Weeks that an operator brought back into rows: the task leaves them there.
  restored int[] NOT NULL DEFAULT '{}',
  -- The instance that seals, and until when it has said so.
  holder uuid,
  held_until timestamptz(3)
);

-- Weeks whose events lie in a file, besides those that came after the week was sealed.
CREATE TABLE audit_sealed_week (
  tenant_id int NOT NULL,
  -- Weeks since the first Monday of 1970.
  week int NOT NULL,
  -- The layout of the file.
  layout smallint NOT NULL,
  -- Of the file, in hex. It names the file.
  sha256 text NOT NULL,
  bytes bigint NOT NULL,
  events bigint NOT NULL,
  first_id uuid NOT NULL,
  last_id uuid NOT NULL,
  sealed_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, week)
);

-- The bytes of the files, piece by piece.
CREATE TABLE audit_sealed_piece (
  tenant_id int NOT NULL,
  sha256 text NOT NULL,
  part int NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (tenant_id, sha256, part)
);

ALTER TABLE audit_sealed_piece ALTER COLUMN bytes SET STORAGE EXTERNAL;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['audit_archive', 'audit_sealed_week', 'audit_sealed_piece']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenants ON %I TO audit_activity_service USING (tenant_id = ANY ((
      SELECT string_to_array(current_setting(''app.tenants'', true), '','')::int[])::int[]))', name);
    EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true)', name);
  END LOOP;
END $$;

-- The right to update one column is the right to lock a row.
GRANT SELECT, UPDATE (generation) ON audit_archive TO audit_activity_service;

GRANT SELECT ON audit_sealed_week TO audit_activity_service;

GRANT SELECT ON audit_sealed_piece TO audit_activity_service;
