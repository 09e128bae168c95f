-- Where events of a tenant are sent: a stored cursor over its log. Of a destination that is paused, or fails, the cursor
-- stands still.
CREATE TABLE destination (
  tenant_id int NOT NULL,
  destination_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  -- As the type takes them; nothing secret.
  settings jsonb NOT NULL,
  -- JSON, encrypted with the key of SECRETS_KEY_FILE.
  secrets bytea NOT NULL,
  -- Empty: every event.
  filter text COLLATE "C" NOT NULL,
  format text COLLATE "C" NOT NULL,
  -- active, paused, or removed: the background takes the row away, as requests may remove nothing.
  state text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- Of the log: the first event that is not delivered.
  position bigint NOT NULL,
  -- Counts replays: a batch of another one has another id.
  generation int NOT NULL DEFAULT 0,
  -- When the position was last set by somebody.
  position_set_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- Bounds of batches that may have been sent, in their order: from, to, from, to, ... A repeat is of the same bounds,
  -- and so of the same id.
  batches bigint[] NOT NULL DEFAULT '{}',
  -- Events in a batch at most; null: as many as the type takes. Less after a refusal.
  batch_limit int,
  -- Failed since the last success.
  attempts int NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3),
  last_error text COLLATE "C",
  last_error_at timestamptz(3),
  last_success_at timestamptz(3),
  -- When nothing was left to deliver.
  caught_up_at timestamptz(3),
  delivered bigint NOT NULL DEFAULT 0,
  failures bigint NOT NULL DEFAULT 0,
  set_aside int NOT NULL DEFAULT 0,
  -- Events that retention removed before they were delivered, and when this was last found.
  behind_retention bigint NOT NULL DEFAULT 0,
  overtaken_at timestamptz(3),
  -- Who sends; a lease that is not renewed ends.
  lease_id uuid,
  lease_until timestamptz(3),
  PRIMARY KEY (tenant_id, destination_id)
);

-- Events that a destination refused while it took their neighbours.
CREATE TABLE destination_set_aside (
  tenant_id int NOT NULL,
  destination_id uuid NOT NULL,
  position bigint NOT NULL,
  record_id uuid NOT NULL,
  message text COLLATE "C" NOT NULL,
  at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, destination_id, position)
);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['destination', 'destination_set_aside']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenants ON %I TO audit_activity_service USING (tenant_id = ANY ((
      SELECT string_to_array(current_setting(''app.tenants'', true), '','')::int[])::int[]))', name);
    EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true)', name);
  END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE ON destination TO audit_activity_service;

GRANT SELECT ON destination_set_aside TO audit_activity_service;
