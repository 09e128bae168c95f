-- What people write about an event. A note is never changed: who changes his mind removes it and writes another.
CREATE TABLE event_note (
  tenant_id int NOT NULL,
  record_id uuid NOT NULL,
  note_id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  -- The key or person for whom notes are counted.
  holder text NOT NULL,
  author text NOT NULL,
  note text NOT NULL,
  -- NULL: nobody has removed it.
  removed_at timestamptz(3),
  removed_by text,
  PRIMARY KEY (tenant_id, record_id, note_id)
);

CREATE INDEX event_note_holder ON event_note (tenant_id, holder);

-- Events that people put into an incident, beside those of its alerts.
CREATE TABLE incident_event (
  tenant_id int NOT NULL,
  incident_id uuid NOT NULL,
  record_id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  holder text NOT NULL,
  placed_by text NOT NULL,
  -- Why; NULL: nobody said.
  note text,
  -- Whether somebody took it out again.
  taken_out boolean NOT NULL DEFAULT false,
  PRIMARY KEY (tenant_id, incident_id, record_id)
);

CREATE INDEX incident_event_record ON incident_event (tenant_id, record_id);
CREATE INDEX incident_event_holder ON incident_event (tenant_id, holder);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['event_note', 'incident_event']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenants ON %I TO audit_activity_service USING (tenant_id = ANY ((
      SELECT string_to_array(current_setting(''app.tenants'', true), '','')::int[])::int[]))', name);
    EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true)', name);
  END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE ON event_note TO audit_activity_service;

GRANT SELECT, INSERT, UPDATE ON incident_event TO audit_activity_service;
