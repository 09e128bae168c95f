-- The seal of a position, by the checkpoint key with this id: nobody else can have readers pass events. Null: the release
-- before wrote the row. Readers pass nothing then, until this release has looked again.
ALTER TABLE audit_log_gone ADD COLUMN key_id text, ADD COLUMN mac bytea;
