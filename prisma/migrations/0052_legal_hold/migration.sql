-- Events of a tenant that retention does not remove. A row stays when its hold has ended: it says what was held, and why.
CREATE TABLE legal_hold (
  tenant_id int NOT NULL,
  hold_id uuid NOT NULL,
  -- A filter expression; empty: every event.
  filter text NOT NULL,
  reason text NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  -- NULL: until somebody ends it.
  until_time timestamptz(3),
  -- NULL: nobody has ended it.
  ended_at timestamptz(3),
  ended_by text,
  ended_reason text,
  PRIMARY KEY (tenant_id, hold_id)
);

ALTER TABLE legal_hold ENABLE ROW LEVEL SECURITY;
ALTER TABLE legal_hold FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON legal_hold TO audit_activity_service USING (tenant_id = ANY ((
  SELECT string_to_array(current_setting('app.tenants', true), ',')::int[])::int[]));
CREATE POLICY owner ON legal_hold TO CURRENT_USER USING (true);

GRANT SELECT, INSERT, UPDATE ON legal_hold TO audit_activity_service;
