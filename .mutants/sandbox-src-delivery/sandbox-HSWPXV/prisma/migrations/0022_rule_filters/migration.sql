-- rule, filter (a Sigma document that narrows rules of the tenant) or removed. The release before takes a filter for a rule
-- that it cannot read: it finds nothing.
ALTER TABLE detection_rule ADD COLUMN kind text NOT NULL DEFAULT 'rule';

-- Of rules that were removed the newest are remembered, so that their versions go on.
GRANT DELETE ON detection_rule TO audit_activity_service;
