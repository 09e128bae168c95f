-- The search index: for each hour of a tenant, the words of its events. It holds for an hour while its n is the
-- hour's true count; anything stored since makes the two differ, and the hour's events are read instead.
CREATE TABLE audit_segment (
  tenant_id int NOT NULL,
  hour int NOT NULL,
  n int NOT NULL,
  -- Words that one event of the hour has, each behind the tenant: "12 invoice".
  singles text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, hour)
);

CREATE INDEX audit_segment_singles ON audit_segment USING gin (singles);

-- Words that several events of the hour have, and how many.
CREATE TABLE audit_word (
  tenant_id int NOT NULL,
  word text COLLATE "C" NOT NULL,
  hour int NOT NULL,
  n int NOT NULL,
  PRIMARY KEY (tenant_id, word, hour) INCLUDE (n)
);

CREATE INDEX audit_word_hour ON audit_word (tenant_id, hour);

-- Hours to be indexed, or indexed again.
CREATE TABLE audit_unindexed (
  tenant_id int NOT NULL,
  hour int NOT NULL,
  changed_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, hour)
);
