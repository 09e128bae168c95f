-- The life of this database's logs between two restores. The service makes the row at its first start on the database.
CREATE TABLE audit_log_epoch (
  -- There is one row.
  id int PRIMARY KEY CHECK (id = 1),
  -- 16 hexadecimal digits: the second in which it began, then random ones.
  epoch text COLLATE "C" NOT NULL,
  -- The earlier epochs, oldest first. An empty text stands for the time before there were epochs.
  former text[] NOT NULL,
  -- Whether ids, names and cursors without an epoch are of this one: a release without epochs gave them.
  bridged boolean NOT NULL,
  began_at timestamptz(3) NOT NULL,
  -- first, copy, set-back or demand.
  cause text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  -- Why nothing is sent and nothing is removed until an operator says go; null: nothing waits.
  hold text,
  -- Which server, database, table and transaction wrote the row: a restore changes one of them.
  identity text COLLATE "C" NOT NULL,
  -- The embedded engine: which file of the data folder goes with the row.
  place text COLLATE "C",
  -- Seals the cursors of the tail.
  cursor_key bytea NOT NULL
);

-- The epoch under which an operator let the destination go while all others waited.
ALTER TABLE destination ADD COLUMN go_epoch text COLLATE "C";
