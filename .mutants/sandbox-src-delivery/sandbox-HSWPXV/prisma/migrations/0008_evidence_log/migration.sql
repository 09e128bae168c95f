-- What ingest stored and the log does not hold yet: one row a batch, written by the statement that stores the events.
CREATE TABLE audit_log_queue (
  tenant_id int NOT NULL,
  batch_id uuid NOT NULL,
  received_at timestamptz(3) NOT NULL,
  -- For each event of the batch its record id (16 bytes) and its leaf hash (32 bytes).
  leaves bytea NOT NULL,
  -- Those of the batch that were new; null: all.
  accepted uuid[],
  -- How many were.
  events int NOT NULL,
  -- Which key the batch is authenticated with, and how.
  key_id text COLLATE "C" NOT NULL,
  mac bytea NOT NULL,
  -- It was changed on its way: it stays here, and is never taken into the log.
  refused bool NOT NULL,
  PRIMARY KEY (tenant_id, batch_id)
);

-- The log: hashes side by side, 256 in a row. Level 0 holds the leaf hashes of the events (record_ids says whose), level
-- n the roots of 256 whole rows of the level below.
CREATE TABLE audit_log_tile (
  tenant_id int NOT NULL,
  level smallint NOT NULL,
  tile int NOT NULL,
  hashes bytea NOT NULL,
  record_ids bytea NOT NULL,
  PRIMARY KEY (tenant_id, level, tile)
);

-- Hashes do not compress: trying to takes time only.
ALTER TABLE audit_log_queue ALTER COLUMN leaves SET STORAGE EXTERNAL;

ALTER TABLE audit_log_tile ALTER COLUMN hashes SET STORAGE EXTERNAL;

ALTER TABLE audit_log_tile ALTER COLUMN record_ids SET STORAGE EXTERNAL;

-- Where to look for a record: the tiles of level 0 that hold records of an hour, and from which to which.
CREATE TABLE audit_log_place (
  tenant_id int NOT NULL,
  hour int NOT NULL,
  tile int NOT NULL,
  first_id uuid NOT NULL,
  last_id uuid NOT NULL,
  PRIMARY KEY (tenant_id, hour, tile)
);

-- Where a tenant's log ends, authenticated with the checkpoint key.
CREATE TABLE audit_log_head (
  tenant_id int PRIMARY KEY,
  size bigint NOT NULL,
  root bytea NOT NULL,
  -- Signed so far; the last of them at signed_at, for signed_size entries.
  checkpoints int NOT NULL,
  signed_size bigint NOT NULL,
  signed_at timestamptz(3) NOT NULL,
  -- Whether all that was stored before there was a log is in it.
  backfilled bool NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  mac bytea NOT NULL
);

CREATE TABLE audit_log_checkpoint (
  tenant_id int NOT NULL,
  number int NOT NULL,
  size bigint NOT NULL,
  -- The checkpoint as it was signed.
  note text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, number)
);

-- Hours with events from before there was a log; what is left of each begins with from_id.
CREATE TABLE audit_log_backlog (
  tenant_id int NOT NULL,
  hour int NOT NULL,
  from_id uuid NOT NULL,
  PRIMARY KEY (tenant_id, hour)
);

INSERT INTO audit_log_backlog (tenant_id, hour, from_id)
SELECT tenant_id, hour, (lpad(to_hex(hour::bigint * 3600000), 12, '0') || '80008000000000000000')::uuid
FROM (SELECT tenant_id, bucket AS hour FROM audit_count WHERE grain = 1 AND a = 0 AND d = 0 AND p = 0 AND n > 0
      UNION SELECT tenant_id, hour FROM audit_delta) h;
