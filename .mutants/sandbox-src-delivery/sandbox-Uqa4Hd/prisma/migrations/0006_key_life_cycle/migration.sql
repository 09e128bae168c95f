-- Networks a key may be used from, in CIDR notation; none: from anywhere.
ALTER TABLE api_key ADD COLUMN allowed_addresses text[] NOT NULL DEFAULT '{}';

-- The key that this one was rotated from. A key is replaced once.
ALTER TABLE api_key ADD COLUMN replaces uuid;

CREATE UNIQUE INDEX api_key_replaces_key ON api_key (replaces);

-- Who did what with the service. entry_id begins with the entry's time and is made before the entry waits to be
-- written: an entry written again after a lost answer is still one entry. No foreign keys: it outlives what it names.
CREATE TABLE access_log (
  entry_id uuid PRIMARY KEY,
  at timestamptz(3) NOT NULL,
  principal_kind text COLLATE "C" NOT NULL,
  key_id text COLLATE "C",
  key_name text COLLATE "C",
  user_name text COLLATE "C",
  entrance text COLLATE "C" NOT NULL,
  operation text COLLATE "C" NOT NULL,
  parameters text COLLATE "C" NOT NULL,
  subject text COLLATE "C",
  tenant_ids int[] NOT NULL,
  row_count int,
  outcome text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL
);

CREATE INDEX access_log_key ON access_log (key_id, entry_id);

CREATE INDEX access_log_tenants ON access_log USING gin (tenant_ids);

-- Entries are added, and removed when their time is over; nothing changes one.
CREATE FUNCTION access_log_keeps_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'entries of the access log cannot be changed';
END $$;

CREATE TRIGGER access_log_unchanged BEFORE UPDATE ON access_log
  FOR EACH STATEMENT EXECUTE FUNCTION access_log_keeps_entries();
