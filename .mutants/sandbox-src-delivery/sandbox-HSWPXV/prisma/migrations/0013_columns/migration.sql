-- Columns of an hour, beside its words: of each field which values its events have and which event has which, in the
-- order of the records. They hold while the segment holds; null: the release before wrote it, or there are too many
-- values. `times` are milliseconds since the event before. Values are numbers of audit_dim, kinds 5 to 11 of fields that
-- are not counted. Hours that are indexed already get their columns in the background.
ALTER TABLE audit_segment
  ADD COLUMN times text COLLATE "C",
  ADD COLUMN action_id text COLLATE "C",
  ADD COLUMN succeeded text COLLATE "C",
  ADD COLUMN server_instance_name text COLLATE "C",
  ADD COLUMN database_name text COLLATE "C",
  ADD COLUMN schema_name text COLLATE "C",
  ADD COLUMN object_name text COLLATE "C",
  ADD COLUMN server_principal_name text COLLATE "C",
  ADD COLUMN database_principal_name text COLLATE "C",
  ADD COLUMN application_name text COLLATE "C",
  ADD COLUMN host_name text COLLATE "C",
  ADD COLUMN client_ip text COLLATE "C",
  ADD COLUMN source_type text COLLATE "C";
