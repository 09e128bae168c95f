-- How far a tenant's log has been looked at by its rules. A log that is there already is looked at from its end on; what
-- is usual is learned from the entries before that.
CREATE TABLE detection_position (
  tenant_id int PRIMARY KEY,
  position bigint NOT NULL,
  learned bigint NOT NULL,
  learn_until bigint NOT NULL,
  -- Counts changes of rules, so that every instance notices them.
  revision int NOT NULL DEFAULT 0,
  -- The instance whose turn it is, and until when.
  holder uuid,
  held_until timestamptz(3),
  -- When something is over by the clock.
  due_at timestamptz(3)
);

INSERT INTO detection_position (tenant_id, position, learned, learn_until)
  SELECT tenant_id, size, 0, size FROM audit_log_head;

-- What a tenant has of its own: rules, and what it changed of those that are shipped.
CREATE TABLE detection_rule (
  tenant_id int NOT NULL,
  rule_id uuid NOT NULL,
  -- The Sigma file; null: a shipped rule.
  source text,
  enabled boolean NOT NULL,
  -- JSON; null: as the file says.
  tuning text,
  version int NOT NULL,
  -- Of what the version stands for.
  digest text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, rule_id)
);

-- What the windows of rules hold, as of the position.
CREATE TABLE detection_state (
  tenant_id int NOT NULL,
  node text NOT NULL,
  key text NOT NULL,
  touched bigint NOT NULL,
  -- JSON.
  body text NOT NULL,
  PRIMARY KEY (tenant_id, node, key)
);

CREATE TABLE alert (
  tenant_id int NOT NULL,
  alert_id uuid NOT NULL,
  rule_id uuid NOT NULL,
  title text NOT NULL,
  -- 1 low, 2 medium, 3 high, 4 critical.
  severity smallint NOT NULL,
  status text NOT NULL,
  verdict text,
  assignee text,
  group_key text NOT NULL,
  -- JSON.
  group_values text NOT NULL,
  -- Event times in steps of 100 ns since 1970; the anchor is that of the finding which began the alert.
  anchor bigint NOT NULL,
  first_event bigint NOT NULL,
  last_event bigint NOT NULL,
  finding_count int NOT NULL,
  event_count bigint NOT NULL,
  -- Logins and server instances, letter case as they came.
  principals text[] NOT NULL,
  instances text[] NOT NULL,
  suppressed_until timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, alert_id)
);

CREATE INDEX alert_created ON alert (tenant_id, created_at, alert_id);

CREATE INDEX alert_group ON alert (tenant_id, rule_id, group_key, anchor);

CREATE TABLE finding (
  tenant_id int NOT NULL,
  finding_id uuid NOT NULL,
  alert_id uuid NOT NULL,
  rule_id uuid NOT NULL,
  rule_version int NOT NULL,
  title text NOT NULL,
  severity smallint NOT NULL,
  group_values text NOT NULL,
  first_event bigint NOT NULL,
  last_event bigint NOT NULL,
  record_ids uuid[] NOT NULL,
  event_count int NOT NULL,
  principals text[] NOT NULL,
  instances text[] NOT NULL,
  detected_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, finding_id)
);

CREATE INDEX finding_alert ON finding (tenant_id, alert_id, detected_at);

CREATE INDEX finding_detected ON finding (tenant_id, detected_at, finding_id);

-- What was done with an alert.
CREATE TABLE alert_change (
  tenant_id int NOT NULL,
  alert_id uuid NOT NULL,
  change_id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  actor text NOT NULL,
  kind text NOT NULL,
  -- JSON: what it became.
  detail text NOT NULL,
  comment text,
  PRIMARY KEY (tenant_id, alert_id, change_id)
);

CREATE TABLE alert_suppression (
  tenant_id int NOT NULL,
  suppression_id uuid NOT NULL,
  -- Null: of every rule.
  rule_id uuid,
  -- JSON: values by field.
  fields text NOT NULL,
  until timestamptz(3) NOT NULL,
  reason text NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, suppression_id)
);

-- Where alerts are told.
CREATE TABLE alert_route (
  tenant_id int NOT NULL,
  route_id uuid NOT NULL,
  name text NOT NULL,
  severity_min smallint NOT NULL,
  rule_id uuid,
  kind text NOT NULL,
  -- JSON; secrets in it are encrypted.
  target text NOT NULL,
  enabled boolean NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, route_id)
);

-- What is to be told, once for each alert, state and route.
CREATE TABLE alert_notice (
  tenant_id int NOT NULL,
  notice_id uuid NOT NULL,
  route_id uuid NOT NULL,
  alert_id uuid NOT NULL,
  state text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  next_at timestamptz(3) NOT NULL,
  tries int NOT NULL,
  sent_at timestamptz(3),
  error text,
  PRIMARY KEY (tenant_id, notice_id)
);

CREATE INDEX alert_notice_due ON alert_notice (tenant_id, next_at) WHERE sent_at IS NULL;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['detection_position', 'detection_rule', 'detection_state', 'alert', 'finding',
    'alert_change', 'alert_suppression', 'alert_route', 'alert_notice']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenants ON %I TO audit_activity_service USING (tenant_id = ANY ((
      SELECT string_to_array(current_setting(''app.tenants'', true), '','')::int[])::int[]))', name);
    EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true)', name);
  END LOOP;
END $$;

GRANT SELECT ON finding, detection_state TO audit_activity_service;

GRANT SELECT, INSERT ON alert_change TO audit_activity_service;

GRANT SELECT, UPDATE ON alert TO audit_activity_service;

GRANT SELECT, INSERT, UPDATE ON detection_position, detection_rule, alert_suppression, alert_route, alert_notice
  TO audit_activity_service;
