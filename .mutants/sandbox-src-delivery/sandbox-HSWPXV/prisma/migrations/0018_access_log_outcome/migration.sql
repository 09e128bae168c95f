-- What was refused or failed is a small part of the access log: operators ask for it by time.
CREATE INDEX access_log_refused ON access_log (entry_id) WHERE outcome <> 'ok';
