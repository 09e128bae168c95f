-- How many findings the rules of a tenant have made, and the seal of the row by the checkpoint key with this id. Null: no
-- instance of this release has worked on it yet.
ALTER TABLE detection_position ADD COLUMN findings bigint NOT NULL DEFAULT 0;

ALTER TABLE detection_position ADD COLUMN key_id text, ADD COLUMN mac bytea;
