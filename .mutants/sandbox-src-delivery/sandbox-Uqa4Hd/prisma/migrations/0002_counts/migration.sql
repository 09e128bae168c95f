-- Values of the counted columns, numbered per tenant; kind 1 action, 2 database, 3 principal.
CREATE TABLE audit_dim (
  tenant_id int NOT NULL,
  kind smallint NOT NULL,
  value text COLLATE "C" NOT NULL,
  dim_id int NOT NULL CHECK (dim_id > 0),
  PRIMARY KEY (tenant_id, kind, value)
);

CREATE UNIQUE INDEX audit_dim_id ON audit_dim (tenant_id, kind, dim_id);

-- What each ingest added, appended in its own statement and folded into audit_count later.
CREATE TABLE audit_delta (
  tenant_id int NOT NULL,
  hour int NOT NULL,
  action_id text COLLATE "C" NOT NULL,
  database_name text COLLATE "C" NOT NULL,
  server_principal_name text COLLATE "C" NOT NULL,
  n int NOT NULL,
  ok int NOT NULL
);

CREATE INDEX audit_delta_tenant ON audit_delta (tenant_id, hour);

-- It has no key of its own: moving it between nodes of a distributed database needs whole rows.
ALTER TABLE audit_delta REPLICA IDENTITY FULL;

-- Events per bucket; a, d, p are dim ids, 0 stands for all values. Grain 1: hours since 1970 for all events and
-- for each single column; grain 2: days, for every combination of columns.
CREATE TABLE audit_count (
  tenant_id int NOT NULL,
  grain smallint NOT NULL,
  a int NOT NULL,
  d int NOT NULL,
  p int NOT NULL,
  bucket int NOT NULL,
  n int NOT NULL,
  ok int NOT NULL,
  PRIMARY KEY (tenant_id, grain, a, d, p, bucket) INCLUDE (n, ok)
);

-- Events stored before there were counts.
INSERT INTO audit_delta (tenant_id, hour, action_id, database_name, server_principal_name, n, ok)
SELECT e.tenant_id, (('x' || translate(left(e.record_id::text, 13), '-', ''))::bit(48)::bigint / 3600000)::int,
  e.action_id, e.database_name, e.server_principal_name, count(*), count(*) FILTER (WHERE e.succeeded)
FROM audit_event e
GROUP BY 1, 2, 3, 4, 5;
