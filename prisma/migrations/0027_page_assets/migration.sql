-- Files of the dashboard's page, of each release that runs or ran within a day. Every instance serves them, so that a
-- page that is open across an upgrade, or comes from an instance of another release, gets the rest of its files.
CREATE TABLE page_asset (
  -- With a hash of the content in it.
  name text COLLATE "C" PRIMARY KEY,
  -- Compressed with brotli.
  content bytea NOT NULL,
  -- The seal of name and content, by the checkpoint key with this id: nobody else can have browsers run a script.
  key_id text NOT NULL,
  mac bytea NOT NULL,
  -- When an instance last had the file on its own disk.
  kept_at timestamptz(3) NOT NULL
);

GRANT SELECT ON page_asset TO audit_activity_service;
