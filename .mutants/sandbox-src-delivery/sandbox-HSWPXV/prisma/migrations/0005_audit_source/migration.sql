-- What an agent last said of one configured database of its machine. Times that an agent states are texts with
-- seven decimals, as audit records have them: they compare byte by byte, and no timestamp type holds them.
CREATE TABLE audit_source (
  tenant_id int NOT NULL,
  host_name text COLLATE "C" NOT NULL,
  database_name text COLLATE "C" NOT NULL,
  agent_version text COLLATE "C" NOT NULL,
  last_event_time text COLLATE "C",
  caught_up_at text COLLATE "C",
  waiting_bytes bigint NOT NULL,
  published_count bigint NOT NULL,
  problem text COLLATE "C",
  last_received timestamptz(3),
  last_reported timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, host_name, database_name)
);

-- Parts of the audit trail that an agent could not publish.
CREATE TABLE audit_gap (
  tenant_id int NOT NULL,
  host_name text COLLATE "C" NOT NULL,
  database_name text COLLATE "C" NOT NULL,
  gap_id uuid NOT NULL,
  reason text COLLATE "C" NOT NULL,
  file_name text COLLATE "C" NOT NULL,
  file_guid uuid,
  detail text COLLATE "C" NOT NULL,
  after_time text COLLATE "C",
  before_time text COLLATE "C",
  detected_at text COLLATE "C" NOT NULL,
  first_reported timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, host_name, database_name, gap_id)
);

CREATE INDEX audit_gap_newest ON audit_gap (tenant_id, host_name, database_name, detected_at DESC, gap_id);
