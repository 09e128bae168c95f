import { Anchor, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { TakeOutOfIncidentDocument } from '../../generated/operations';
import { exploreHref } from '../alerts/explore-links';
import { showHidden } from '../explore/event/marks';
import { sentenceOf } from '../explore/event/sentence';
import { EVENT } from '../explore/event/texts';
import type { PlacedEvent } from '../incidents/incident';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import { Failed } from '../shell/states';
import { NOTES } from './texts';

/** An event that somebody put into an incident, as a line of its timeline. */
export function PlacedEventLine(props: {
  readonly incidentId: string;
  readonly placed: PlacedEvent;
  readonly canWork: boolean;
  readonly onDone: () => void;
}) {
  const t = useTexts(NOTES);
  const words = useTexts(EVENT);
  const { incidentId, placed, canWork, onDone } = props;
  const { recordId, placedBy, note, event } = placed;
  const [zone] = useTimeZone();
  const [error, setError] = useState<Error | null>(null);
  const mutate = useMutate();
  const text = sentenceOf({ ...event, roleMember: event.roleMember ?? null }, words);
  const takeOut = () => {
    mutate(TakeOutOfIncidentDocument, { incidentId, recordId }).then(onDone, setError);
  };
  return (
    <li>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {showHidden(text)}
      </Text>
      {note && (
        <Text size="sm" fs="italic" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {showHidden(note)}
        </Text>
      )}
      <Group gap="xs">
        <Anchor component={Link} href={exploreHref({ event: recordId })} size="xs">
          {formatTime(event.eventTime, zone, 3)}
        </Anchor>
        <Text size="xs" c="dimmed">
          {t.putThere(showHidden(placedBy))}
        </Text>
        {canWork && (
          <Button size="compact-xs" variant="default" aria-label={t.takeOutEvent(text)} onClick={takeOut}>
            {t.takeOut}
          </Button>
        )}
      </Group>
      {error && <Failed error={error} />}
    </li>
  );
}
