-- Since when the folder of a source that several hosts share is away there, by the service's clock. Null: it is there.
ALTER TABLE audit_source ADD COLUMN standby_since timestamptz(3);

-- The GUIDs of the files of a shared folder that the agent published whole, the newest. Null: the folder is not shared.
ALTER TABLE audit_source ADD COLUMN whole_files text;
