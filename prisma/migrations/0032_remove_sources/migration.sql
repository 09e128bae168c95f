-- An operator removes sources that nobody reports any more, with their gaps.
GRANT DELETE ON audit_source, audit_gap TO audit_activity_service;
