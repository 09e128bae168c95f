import { Anchor, Group, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import classes from '../alerts/alerts.module.css';
import { Severity } from '../alerts/severity';
import { showHidden } from '../explore/event/marks';
import { useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import { PlacedEventLine } from '../notes/placed-event';
import type { Incident, PlacedEvent } from './incident';
import { INCIDENTS } from './texts';
import { timelineOf } from './timeline';

interface Props {
  readonly incident: Incident;
  readonly placed: readonly PlacedEvent[];
  readonly canWork: boolean;
  readonly onDone: () => void;
}

/** What happened in an incident, with the events that people put into it. */
export function Timeline({ incident, placed, canWork, onDone }: Props) {
  const t = useTexts(INCIDENTS);
  const [zone] = useTimeZone();
  return (
    <section aria-labelledby="timeline">
      <Title order={2} size="h5" id="timeline" mb="xs">
        {t.whatHappened}
      </Title>
      <ol className={classes.timeline}>
        {timelineOf(incident, placed).map(({ line, event }) =>
          event ? (
            <PlacedEventLine
              key={event.recordId}
              incidentId={incident.incidentId}
              placed={event}
              canWork={canWork}
              onDone={onDone}
            />
          ) : (
            <li key={`${line.alertId} ${line.firstEventTime} ${line.text}`}>
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                <span lang="en">{showHidden(line.text)}</span>
                {line.findingCount > 1 && ` (${t.times(line.findingCount)})`}
              </Text>
              <Group gap="xs">
                <Severity severity={line.severity} />
                <Anchor component={Link} href={`/alerts/${line.alertId}`} size="xs">
                  {formatTime(line.firstEventTime, zone, 3)}
                </Anchor>
              </Group>
            </li>
          ),
        )}
      </ol>
    </section>
  );
}
