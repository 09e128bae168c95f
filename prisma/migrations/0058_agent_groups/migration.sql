-- Groups of hosts, and the settings that an operator wants of the agents there. The first group with a matching name counts.
CREATE TABLE agent_group (
  tenant_id int NOT NULL,
  group_id uuid NOT NULL,
  name text NOT NULL,
  position int NOT NULL,
  -- Patterns of host names, a JSON array.
  hosts text NOT NULL,
  -- A JSON object; a setting that is not there is that of the agent's file.
  settings text NOT NULL,
  -- No two groups of a tenant ever have the same, and each change brings a larger one.
  version int NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, group_id)
);

ALTER TABLE agent_group ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_group FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON agent_group TO audit_activity_service USING (tenant_id = ANY ((
  SELECT string_to_array(current_setting('app.tenants', true), ',')::int[])::int[]));
CREATE POLICY owner ON agent_group TO CURRENT_USER USING (true);

GRANT SELECT, INSERT, UPDATE, DELETE ON agent_group TO audit_activity_service;

-- The version of the group that changed last.
ALTER TABLE tenant ADD COLUMN agent_groups_version int NOT NULL DEFAULT 0;

-- The settings that the agent of a source runs, as it reported them. Null: the agent tells none.
ALTER TABLE audit_source ADD COLUMN running jsonb;
