import { Text, Title } from '@mantine/core';
import type { AlertHistoryQuery } from '../../generated/operations';
import { showHidden } from '../explore/event/marks';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import { Failed } from '../shell/states';
import { VERDICT_LABELS } from './alert-words';
import classes from './alerts.module.css';

type Change = AlertHistoryQuery['alertChanges'][number];

interface Props {
  /** Undefined: they are not loaded yet. */
  readonly changes: readonly Change[] | undefined;
  readonly error: Error | undefined;
  readonly retry: () => void;
}

/** The actions on an alert or incident and who took them, with the comments; oldest first. */
export function History({ changes, error, retry }: Props) {
  const [zone] = useTimeZone();
  return (
    <section aria-labelledby="history">
      <Title order={2} size="h5" id="history" mb="xs">
        History and comments
      </Title>
      {error && <Failed error={error} retry={retry} />}
      {changes?.length === 0 && <Text size="sm">Nobody has worked on it yet.</Text>}
      <ol className={classes.timeline}>
        {changes?.map((change) => (
          <li key={change.changeId}>
            <Text size="sm">
              <b>{showHidden(change.actor)}</b> {deedOf(change, (time) => formatTime(time, zone))}
              <Text span size="xs" c="dimmed">
                {' '}
                {formatTime(change.at, zone)}
              </Text>
            </Text>
            {change.comment && (
              <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {showHidden(change.comment)}
              </Text>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function deedOf({ kind, detail }: Change, timeOf: (time: string) => string): string {
  const { verdict, until, assignee } = detail as Readonly<Record<string, string | null>>;
  if (kind === 'assigned')
    return assignee ? `assigned it to ${showHidden(assignee)}` : 'assigned it to nobody';
  if (kind === 'commented') return 'commented';
  if (kind === 'resolved' && verdict)
    return `resolved it: ${(VERDICT_LABELS[verdict as keyof typeof VERDICT_LABELS] ?? verdict).toLowerCase()}`;
  if (kind === 'suppressed' && until) return `suppressed it until ${timeOf(until)}`;
  return kind === 'moved' ? 'moved an alert' : `${kind} it`;
}
