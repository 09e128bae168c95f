-- Events that operators have erased. A row is never removed: it explains entries of the evidence log.
CREATE TABLE audit_erasure (
  tenant_id int NOT NULL,
  -- It begins with the time. In the evidence log it stands where record ids stand.
  erasure_id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  -- The name of the key or person.
  erased_by text NOT NULL,
  reason text NOT NULL,
  events int NOT NULL,
  -- The entry of the erasure in the evidence log, which names the erased entries. Null: these are not known yet.
  entry text,
  -- Null: it is not over.
  ended_at timestamptz(3),
  -- Why the last attempt to go on failed. Null: it did not.
  problem text,
  holder uuid,
  held_until timestamptz(3),
  PRIMARY KEY (tenant_id, erasure_id)
);

-- A tenant has one at a time: two could not agree on what each of them erased.
CREATE UNIQUE INDEX audit_erasure_open ON audit_erasure (tenant_id) WHERE ended_at IS NULL;

-- The events of an erasure that is not over.
CREATE TABLE audit_erasure_record (
  tenant_id int NOT NULL,
  erasure_id uuid NOT NULL,
  record_id uuid NOT NULL,
  PRIMARY KEY (tenant_id, erasure_id, record_id)
);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['audit_erasure', 'audit_erasure_record']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenants ON %I TO audit_activity_service USING (tenant_id = ANY ((
      SELECT string_to_array(current_setting(''app.tenants'', true), '','')::int[])::int[]))', name);
    EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true)', name);
  END LOOP;
END $$;

GRANT SELECT, INSERT ON audit_erasure TO audit_activity_service;

GRANT SELECT, INSERT ON audit_erasure_record TO audit_activity_service;
