-- Where it is empty, statements make the searchable text from the event's own texts, which are ASCII. A release before takes an
-- empty one for no words: for a week after this migration, a database that had events gets the texts of all events.
COMMENT ON COLUMN audit_event.search_text IS 'empty where the texts of the event are ASCII';
