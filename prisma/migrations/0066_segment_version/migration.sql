-- Names the columns of an hour: an hour that is indexed again gets another version, whatever database it lies in. Null: a
-- release before wrote the hour, and the indexer gives it a version in the background.
ALTER TABLE audit_segment ADD COLUMN version uuid;
