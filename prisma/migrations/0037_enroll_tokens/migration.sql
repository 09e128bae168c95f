-- Keys with which agents fetch keys of their own: how many more agents may, and for how many days the key of each is valid.
ALTER TABLE api_key DROP CONSTRAINT api_key_kind_check;

ALTER TABLE api_key ADD CONSTRAINT api_key_kind_check CHECK (kind IN ('public', 'agent', 'operator', 'enroll'));

ALTER TABLE api_key ADD COLUMN uses_left int CHECK (uses_left >= 0);

ALTER TABLE api_key ADD COLUMN key_days int CHECK (key_days > 0);

-- The token with which the agent of this key was enrolled.
ALTER TABLE api_key ADD COLUMN enrolled_by uuid;
