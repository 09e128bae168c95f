-- A source that an operator has retired, and why. Null: it is in use. A report of its agent makes both null again.
ALTER TABLE audit_source ADD COLUMN retired_at timestamptz(3), ADD COLUMN retired_reason text;
