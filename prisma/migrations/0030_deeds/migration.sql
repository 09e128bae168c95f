-- Who did what to whom, as the events of a finding say it. JSON: a list of sentences with both names.
ALTER TABLE finding ADD COLUMN deeds text NOT NULL DEFAULT '[]';
ALTER TABLE alert ADD COLUMN deeds text NOT NULL DEFAULT '[]';
