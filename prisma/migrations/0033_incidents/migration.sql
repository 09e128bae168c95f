-- Alerts that share a login, address, host, target login or session within some time: one incident, on which people work
-- as one.
CREATE TABLE incident (
  tenant_id int NOT NULL,
  incident_id uuid NOT NULL,
  -- Counts the incidents of the tenant in the order in which they began.
  number int NOT NULL,
  title text NOT NULL,
  -- 1 low, 2 medium, 3 high, 4 critical.
  severity smallint NOT NULL,
  status text NOT NULL,
  verdict text,
  assignee text,
  -- Event times in steps of 100 ns since 1970.
  first_event bigint NOT NULL,
  last_event bigint NOT NULL,
  alert_count int NOT NULL,
  event_count bigint NOT NULL,
  rows_read bigint NOT NULL,
  rows_changed bigint NOT NULL,
  -- Whether a person has worked on it. Then no other incident takes its alerts over.
  touched boolean NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, incident_id)
);

CREATE INDEX incident_created ON incident (tenant_id, created_at, incident_id);

-- What was done with an incident.
CREATE TABLE incident_change (
  tenant_id int NOT NULL,
  incident_id uuid NOT NULL,
  change_id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  actor text NOT NULL,
  kind text NOT NULL,
  -- JSON: what it became.
  detail text NOT NULL,
  comment text,
  PRIMARY KEY (tenant_id, incident_id, change_id)
);

-- Null: an alert of the trail itself, one that was suppressed from the beginning, or one from before incidents.
ALTER TABLE alert ADD COLUMN incident_id uuid;
-- The person who placed it in its incident; null: the service did.
ALTER TABLE alert ADD COLUMN placed_by text;
-- What it may share with other alerts, letter case folded.
ALTER TABLE alert ADD COLUMN links text[] NOT NULL DEFAULT '{}';
-- JSON: what it adds to its incident.
ALTER TABLE alert ADD COLUMN about text NOT NULL DEFAULT '{}';

CREATE INDEX alert_incident ON alert (tenant_id, incident_id);

CREATE INDEX alert_last ON alert (tenant_id, last_event);

-- Minutes within which alerts form one incident; null: the default.
ALTER TABLE detection_position ADD COLUMN incident_minutes int;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['incident', 'incident_change']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenants ON %I TO audit_activity_service USING (tenant_id = ANY ((
      SELECT string_to_array(current_setting(''app.tenants'', true), '','')::int[])::int[]))', name);
    EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true)', name);
  END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE ON incident TO audit_activity_service;

GRANT SELECT, INSERT ON incident_change TO audit_activity_service;
