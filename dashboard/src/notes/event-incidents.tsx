import { Anchor, Button, Group, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import {
  EventIncidentsDocument,
  type EventIncidentsQuery,
  TakeOutOfIncidentDocument,
} from '../../generated/operations';
import { showHidden } from '../explore/event/marks';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import { Failed } from '../shell/states';
import { AddToIncident } from './add-to-incident';
import { NOTES } from './texts';

/** The incidents into which people put an event. */
export function EventIncidents({
  recordId,
  canWork,
}: {
  readonly recordId: string;
  readonly canWork: boolean;
}) {
  const t = useTexts(NOTES);
  const [zone] = useTimeZone();
  const [{ data, error }, ask] = useQuery({ query: EventIncidentsDocument, variables: { recordId } });
  const [changed, setChanged] = useState<EventIncidentsQuery['eventIncidents'] | null>(null);
  const [refusal, setRefusal] = useState<Error | null>(null);
  const [isAdding, setIsAdding] = useKept(`adding ${recordId}`, false);
  const mutate = useMutate();
  const takeOut = (incidentId: string) => {
    mutate(TakeOutOfIncidentDocument, { incidentId, recordId }).then((done) => {
      setChanged(done.takeOutOfIncident);
      setRefusal(null);
    }, setRefusal);
  };
  if (error) return <Failed error={error} retry={ask} />;
  const incidents = changed ?? data?.eventIncidents ?? [];
  return (
    <div>
      {incidents.length > 0 && (
        <>
          <Title order={4} size="h6" mb={4}>
            {t.itsIncidents}
          </Title>
          <ul style={{ listStyle: 'none', margin: 0, padding: 0 }}>
            {incidents.map(({ incidentId, title, placedBy, placedAt, note }) => (
              <li key={incidentId}>
                <Anchor component={Link} href={`/incidents/${incidentId}`} size="sm" lang="en">
                  {showHidden(title)}
                </Anchor>
                {note && (
                  <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                    {showHidden(note)}
                  </Text>
                )}
                <Group gap="xs">
                  <Text size="xs" c="dimmed">
                    {formatTime(placedAt, zone)} {t.putThere(showHidden(placedBy))}
                  </Text>
                  {canWork && (
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={t.takeOutOf(title)}
                      onClick={() => takeOut(incidentId)}
                    >
                      {t.takeOut}
                    </Button>
                  )}
                </Group>
              </li>
            ))}
          </ul>
        </>
      )}
      {refusal && <Failed error={refusal} />}
      {canWork && (
        <Button variant="default" mt={4} onClick={() => setIsAdding(true)}>
          {t.addToIncident}
        </Button>
      )}
      {isAdding && (
        <AddToIncident recordId={recordId} onClose={() => setIsAdding(false)} onDone={setChanged} />
      )}
    </div>
  );
}
