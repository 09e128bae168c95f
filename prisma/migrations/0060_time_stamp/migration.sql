-- Time stamps of an authority (RFC 3161): the token of a checkpoint, and when a log was last stamped.
ALTER TABLE audit_log_checkpoint ADD COLUMN token bytea;
CREATE INDEX audit_log_checkpoint_stamped ON audit_log_checkpoint (tenant_id, number) WHERE token IS NOT NULL;

CREATE TABLE audit_log_stamping (
  tenant_id int PRIMARY KEY,
  -- Null: no checkpoint was stamped yet.
  stamped_at timestamptz(3),
  -- The instance that asks the authority, and until when.
  holder uuid,
  held_until timestamptz(3)
);

ALTER TABLE audit_log_stamping ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_log_stamping FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON audit_log_stamping TO audit_activity_service USING (tenant_id = ANY ((
  SELECT string_to_array(current_setting('app.tenants', true), ',')::int[])::int[]));
CREATE POLICY owner ON audit_log_stamping TO CURRENT_USER USING (true);
