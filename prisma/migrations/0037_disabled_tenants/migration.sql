-- A tenant that an operator has disabled, and why. Null: it is in use. Each column apart: a distributed table takes them one
-- at a time.
ALTER TABLE tenant ADD COLUMN disabled_at timestamptz(3);

ALTER TABLE tenant ADD COLUMN disabled_reason text;
