import { Anchor, Group, List, Text, Title } from '@mantine/core';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { RelatedAlertsDocument } from '../../generated/operations';
import { showHidden } from '../explore/event/marks';
import { useTexts } from '../lib/language';
import { Severity } from './severity';
import { ALERTS } from './texts';
import type { Alert } from './use-queue';

const SHOWN = 10;
/** Large enough for a finger. */
const TARGET = { display: 'inline-block', lineHeight: '24px' } as const;

/** The other alerts of an alert's incident, in the order of their events. */
export function RelatedAlerts({ alert }: { readonly alert: Alert }) {
  const t = useTexts(ALERTS);
  const { incidentId, alertId } = alert;
  const [{ data }] = useQuery({
    query: RelatedAlertsDocument,
    variables: { incidentId: incidentId ?? '' },
    pause: incidentId === null,
  });
  const incident = data?.incident;
  if (!incident) return null;
  const others = incident.alerts.filter((one) => one.alertId !== alertId);
  return (
    <section aria-label={t.relatedAlerts}>
      <Title order={2} size="h5">
        {t.relatedAlerts}
      </Title>
      <Text size="sm">
        {others.length === 0 ? t.onlyAlert : t.incidentIs}{' '}
        <Anchor
          component={Link}
          href={`/incidents/${incident.incidentId}`}
          size="sm"
          style={TARGET}
          lang="en"
        >
          {showHidden(incident.title)}
        </Anchor>
      </Text>
      <List size="sm" listStyleType="none" mt={4}>
        {others.slice(0, SHOWN).map(({ alertId: id, title, severity, status, summary }) => (
          <List.Item key={id}>
            <Group gap="xs">
              <Severity severity={severity} />
              <Anchor component={Link} href={`/alerts/${id}`} size="sm" style={TARGET} lang="en">
                {showHidden(summary ?? title)}
              </Anchor>
              <Text size="xs" c="dimmed">
                {t[status]}
              </Text>
            </Group>
          </List.Item>
        ))}
      </List>
      {others.length > SHOWN && <Text size="sm">{t.moreInIncident(others.length - SHOWN)}</Text>}
    </section>
  );
}
