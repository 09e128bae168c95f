-- Finds the notices of an alert that were not sent: its later states wait for them.
CREATE INDEX alert_notice_of_alert ON alert_notice (tenant_id, alert_id, route_id) WHERE sent_at IS NULL;
