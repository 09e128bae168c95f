-- Which checkpoint key the evidence logs of this database are kept with: an instance that has another one is told.
CREATE TABLE audit_log_key (
  -- There is one row.
  id int PRIMARY KEY CHECK (id = 1),
  key_id text COLLATE "C" NOT NULL
);
