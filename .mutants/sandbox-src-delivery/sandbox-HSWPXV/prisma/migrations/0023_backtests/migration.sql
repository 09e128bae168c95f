-- Backtests: one that was begun is run to its end by whichever instance has room, also after a restart.
CREATE TABLE backtest (
  tenant_id int NOT NULL,
  backtest_id uuid NOT NULL,
  -- JSON: the rule with its file, and the filters that narrow it.
  rule text NOT NULL,
  -- What arrived from then on is read.
  since timestamptz(3) NOT NULL,
  -- running, done or failed.
  state text NOT NULL,
  -- JSON: what it has found so far.
  answer text NOT NULL,
  -- How often an instance began it.
  tries int NOT NULL,
  -- The instance that runs it, and until when it has said so.
  holder uuid,
  held_until timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, backtest_id)
);

CREATE INDEX backtest_running ON backtest (created_at) WHERE state = 'running';

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['backtest']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenants ON %I TO audit_activity_service USING (tenant_id = ANY ((
      SELECT string_to_array(current_setting(''app.tenants'', true), '','')::int[])::int[]))', name);
    EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true)', name);
  END LOOP;
END $$;

GRANT SELECT, INSERT, DELETE ON backtest TO audit_activity_service;
