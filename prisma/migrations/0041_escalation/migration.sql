-- When a person first acknowledged, resolved or suppressed it. Null: nobody did, or it was before this release.
ALTER TABLE alert ADD COLUMN acknowledged_at timestamptz(3);

ALTER TABLE incident ADD COLUMN acknowledged_at timestamptz(3);

-- The route is told of alerts that nobody has acknowledged for so many minutes. Null: of each alert, at once.
ALTER TABLE alert_route ADD COLUMN escalate_minutes int;

-- The notice is not due before. Null: it is due at once.
ALTER TABLE alert_notice ADD COLUMN not_before timestamptz(3);
