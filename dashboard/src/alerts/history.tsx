import { Text, Title } from '@mantine/core';
import type { AlertHistoryQuery } from '../../generated/operations';
import { showHidden } from '../explore/event/marks';
import { useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import type { In } from '../lib/texts';
import { formatTime } from '../lib/time';
import { Failed } from '../shell/states';
import { VERDICT_NAMES } from './alert-words';
import classes from './alerts.module.css';
import { ALERTS } from './texts';

type Change = AlertHistoryQuery['alertChanges'][number];

interface Props {
  /** Undefined: they are not loaded yet. */
  readonly changes: readonly Change[] | undefined;
  readonly error: Error | undefined;
  readonly retry: () => void;
}

/** The actions on an alert or incident and who took them, with the comments; oldest first. */
export function History({ changes, error, retry }: Props) {
  const t = useTexts(ALERTS);
  const [zone] = useTimeZone();
  return (
    <section aria-labelledby="history">
      <Title order={2} size="h5" id="history" mb="xs">
        {t.history}
      </Title>
      {error && <Failed error={error} retry={retry} />}
      {changes?.length === 0 && <Text size="sm">{t.nobodyYet}</Text>}
      <ol className={classes.timeline}>
        {changes?.map((change) => (
          <li key={change.changeId}>
            <Text size="sm">
              <b>{showHidden(change.actor)}</b> {deedOf(change, (time) => formatTime(time, zone), t)}
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

const DEEDS = {
  acknowledged: 'didAcknowledge',
  commented: 'didComment',
  event_added: 'didAddEvent',
  event_removed: 'didRemoveEvent',
  moved: 'didMove',
  resolved: 'didResolve',
  suppressed: 'didSuppress',
} as const;

function deedOf({ kind, detail }: Change, timeOf: (time: string) => string, t: In<typeof ALERTS>): string {
  const { verdict, until, assignee } = detail as Readonly<Record<string, string | null>>;
  if (kind === 'assigned') return assignee ? t.didAssign(showHidden(assignee)) : t.didUnassign;
  const known = VERDICT_NAMES.find((name) => name === verdict);
  if (kind === 'resolved' && known) return t.didResolveAs(t[known]);
  if (kind === 'suppressed' && until) return t.didSuppressUntil(timeOf(until));
  return Object.hasOwn(DEEDS, kind) ? t[DEEDS[kind as keyof typeof DEEDS]] : t.did(kind);
}
