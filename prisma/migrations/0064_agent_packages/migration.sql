-- Packages of the agent that operators offer to a group of hosts. Each has at most one that is whole, and one that is on its way.
CREATE TABLE agent_package (
  tenant_id int NOT NULL,
  package_id uuid NOT NULL,
  group_id uuid NOT NULL,
  version text NOT NULL,
  build int NOT NULL,
  size int NOT NULL,
  -- Of the file, in hexadecimal digits.
  sha256 text NOT NULL,
  -- Ed25519 in Base64, over what the four columns above say. The service has no key to check it; the agents do.
  signature text NOT NULL,
  -- In local time of the hosts. Null: at any time.
  run_window text,
  allows_older boolean NOT NULL,
  -- Null: its file is not here as a whole, and it is not offered yet.
  offered_at timestamptz(3),
  PRIMARY KEY (tenant_id, package_id)
);

CREATE TABLE agent_package_part (
  tenant_id int NOT NULL,
  package_id uuid NOT NULL,
  -- From 0. All but the last have the same size.
  part int NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (tenant_id, package_id, part)
);

ALTER TABLE agent_package ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_package FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON agent_package TO audit_activity_service USING (tenant_id = ANY ((
  SELECT string_to_array(current_setting('app.tenants', true), ',')::int[])::int[]));
CREATE POLICY owner ON agent_package TO CURRENT_USER USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_package TO audit_activity_service;

ALTER TABLE agent_package_part ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_package_part FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON agent_package_part TO audit_activity_service USING (tenant_id = ANY ((
  SELECT string_to_array(current_setting('app.tenants', true), ',')::int[])::int[]));
CREATE POLICY owner ON agent_package_part TO CURRENT_USER USING (true);
GRANT SELECT, INSERT, DELETE ON agent_package_part TO audit_activity_service;

-- How far the agent of a source has come with a package, as it reported it. Null: it has none.
ALTER TABLE audit_source ADD COLUMN package jsonb;
