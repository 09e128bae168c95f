-- What a saved search shows beside its filter: range, columns, groups and chart, as a query string. Null: the filter alone.
ALTER TABLE saved_search ADD COLUMN view text COLLATE "C";
