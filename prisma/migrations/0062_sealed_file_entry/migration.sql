-- What the evidence log says of the files of sealed weeks. A row is never removed: it explains an entry of the log.
CREATE TABLE audit_sealed_entry (
  tenant_id int NOT NULL,
  -- It begins with the time. In the evidence log it stands where record ids stand.
  entry_id uuid NOT NULL,
  -- The entry: the week, and the file that it got.
  entry text NOT NULL,
  PRIMARY KEY (tenant_id, entry_id)
);

ALTER TABLE audit_sealed_entry ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_sealed_entry FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON audit_sealed_entry TO audit_activity_service USING (tenant_id = ANY ((
  SELECT string_to_array(current_setting('app.tenants', true), ',')::int[])::int[]));
DO $$
BEGIN
  EXECUTE 'CREATE POLICY owner ON audit_sealed_entry TO CURRENT_USER USING (true)';
END $$;

GRANT SELECT ON audit_sealed_entry TO audit_activity_service;
