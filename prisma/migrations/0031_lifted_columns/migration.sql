-- Columns of an hour for the fields that events state in `additional`. Numbers stand in the column itself, and texts are
-- numbers of audit_dim, kinds 12 to 15. `layout` says which columns an hour was given: 1 is that of the releases before.
-- Hours with an earlier layout are indexed again in the background.
ALTER TABLE audit_segment
  ADD COLUMN layout smallint NOT NULL DEFAULT 1,
  ADD COLUMN response_rows text COLLATE "C",
  ADD COLUMN affected_rows text COLLATE "C",
  ADD COLUMN session_id text COLLATE "C",
  ADD COLUMN transaction_id text COLLATE "C",
  ADD COLUMN class_type text COLLATE "C",
  ADD COLUMN target_server_principal_name text COLLATE "C",
  ADD COLUMN target_database_principal_name text COLLATE "C",
  ADD COLUMN role_member text COLLATE "C";
