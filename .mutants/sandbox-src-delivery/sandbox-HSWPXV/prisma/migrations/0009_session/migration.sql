-- Who is signed in to the dashboard. Of the cookie only the hash is kept. A session of a key has what the key has,
-- looked up again and again; one of a person, by OpenID Connect, has what the claims said.
CREATE TABLE dashboard_session (
  token_hash bytea PRIMARY KEY,
  session_id uuid NOT NULL,
  key_id uuid,
  user_name text COLLATE "C",
  kind text COLLATE "C" CHECK (kind IN ('public', 'operator')),
  scopes text[] NOT NULL,
  tenant_ids int[] NOT NULL,
  last_used_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CHECK ((key_id IS NULL) = (user_name IS NOT NULL AND kind IS NOT NULL))
);

-- Who is exporting: one export at a time each. A lease that is not renewed ends by itself.
CREATE TABLE export_lease (
  holder text COLLATE "C" PRIMARY KEY,
  lease_id uuid NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
