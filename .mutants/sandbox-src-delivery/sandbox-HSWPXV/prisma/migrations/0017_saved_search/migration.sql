-- Searches that people and keys keep, each of one tenant.
CREATE TABLE saved_search (
  tenant_id int NOT NULL,
  search_id uuid NOT NULL,
  -- Whose it is: a key, or a person who signed in.
  holder text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- A filter expression.
  filter text COLLATE "C" NOT NULL,
  -- Whether everybody who reads the tenant sees it.
  is_shared boolean NOT NULL,
  -- The background takes the row away, as requests may remove nothing.
  is_removed boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (tenant_id, search_id)
);

ALTER TABLE saved_search ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_search FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON saved_search TO audit_activity_service USING (tenant_id = ANY ((
  SELECT string_to_array(current_setting('app.tenants', true), ',')::int[])::int[]));
CREATE POLICY owner ON saved_search TO CURRENT_USER USING (true);

GRANT SELECT, INSERT, UPDATE ON saved_search TO audit_activity_service;
