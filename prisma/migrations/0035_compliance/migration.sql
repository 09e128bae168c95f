-- What operators declare about servers for assessments of compliance. A declaration holds from a time until a time, and
-- nothing but its end changes, so an assessment of a past moment uses those of that moment.
CREATE TABLE compliance_declaration (
  tenant_id int NOT NULL,
  declaration_id uuid NOT NULL,
  kind text NOT NULL,
  -- Null: of every server instance.
  server_instance_name text COLLATE "C",
  -- JSON: what is declared, by kind.
  value text NOT NULL,
  reason text NOT NULL,
  valid_from timestamptz(3) NOT NULL,
  -- Null: it has no end.
  valid_until timestamptz(3),
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, declaration_id)
);

ALTER TABLE compliance_declaration ENABLE ROW LEVEL SECURITY;
ALTER TABLE compliance_declaration FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON compliance_declaration TO audit_activity_service USING (tenant_id = ANY ((
  SELECT string_to_array(current_setting('app.tenants', true), ',')::int[])::int[]));
CREATE POLICY owner ON compliance_declaration TO CURRENT_USER USING (true);

GRANT SELECT, INSERT, UPDATE ON compliance_declaration TO audit_activity_service;
