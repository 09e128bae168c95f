-- Files of sealed weeks outside the database (`ARCHIVE_URL`). A row is there before its file is written, and goes with
-- the file.
CREATE TABLE audit_sealed_file (
  tenant_id int NOT NULL,
  -- Of the file, in hex. It names the file.
  sha256 text NOT NULL,
  -- Since when no week has the file; NULL: one has, or will have.
  unlisted_since timestamptz(3),
  PRIMARY KEY (tenant_id, sha256)
);

ALTER TABLE audit_sealed_file ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_sealed_file FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON audit_sealed_file TO audit_activity_service USING (tenant_id = ANY ((
  SELECT string_to_array(current_setting('app.tenants', true), ',')::int[])::int[]));
CREATE POLICY owner ON audit_sealed_file TO CURRENT_USER USING (true);
