-- When an operator asked the agent of this key for another one. Null: nobody did.
ALTER TABLE api_key ADD COLUMN renew_asked_at timestamptz(3);
