import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { showHidden } from '../explore/event/marks';
import { sentenceOf } from '../explore/event/sentence';
import { EVENT } from '../explore/event/texts';
import { COMMON } from '../lib/common';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import { formatTime, type TimeZone } from '../lib/time';
import classes from './alerts.module.css';
import { aroundHref, eventsHref, exploreHref } from './explore-links';
import { groupText } from './group-text';
import { ALERTS } from './texts';
import type { Finding, FindingEvent } from './use-finding-events';

interface Props {
  readonly finding: Finding;
  /** Of all findings that are shown. */
  readonly events: readonly FindingEvent[];
  readonly isBusy: boolean;
  readonly mayRead: boolean;
}

/** The most rows of one finding; Explore shows the rest. */
const SHOWN_MAX = 20;

/** One finding with its events, and links to the events around them. */
export function FindingItem({ finding, events, isBusy, mayRead }: Props) {
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(ALERTS);
  const [zone] = useTimeZone();
  const ids = new Set(finding.recordIds);
  const own = events.filter(({ recordId }) => ids.has(recordId)).slice(0, SHOWN_MAX);
  const instances = new Set(own.map(({ serverInstanceName }) => serverInstanceName));
  const [instance = null] = instances.size === 1 ? instances : [];
  const left = finding.eventCount - own.length;
  const group = groupText(finding.group, labels, common.notCaptured);
  return (
    <li data-testid="finding">
      <Text size="sm" fw={600}>
        {formatTime(finding.firstEventTime, zone, 3)}
        {finding.firstEventTime !== finding.lastEventTime &&
          ` – ${formatTime(finding.lastEventTime, zone, 3)}`}
      </Text>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {t.events(finding.eventCount)}
        {group && `: ${showHidden(group)}`}
      </Text>
      {finding.summary && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }} lang="en">
          {' '}
          {showHidden(finding.summary)}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {t.found(formatTime(finding.detectedAt, zone), finding.ruleVersion)}
      </Text>
      {own.map((event) => (
        <EventLine key={event.recordId} event={event} zone={zone} />
      ))}
      {mayRead && isBusy && own.length === 0 && (
        <Text size="sm" c="dimmed">
          {t.loadingEvents}
        </Text>
      )}
      {mayRead && (
        <Group gap="md" mt={4}>
          {finding.recordIds.length > 0 && (
            <Anchor component={Link} size="sm" href={eventsHref(finding.recordIds, finding)}>
              {left > 0 && own.length > 0 ? t.allInExplore(left) : common.inExplore}
            </Anchor>
          )}
          <Anchor component={Link} size="sm" href={aroundHref(finding, instance)}>
            {common.whatHappenedAround}
          </Anchor>
        </Group>
      )}
    </li>
  );
}

/** An event as a sentence, with a link to the whole event and its proof. */
function EventLine({ event, zone }: { readonly event: FindingEvent; readonly zone: TimeZone }) {
  const t = useTexts(ALERTS);
  const sentences = useTexts(EVENT);
  return (
    <div className={classes.event}>
      <Anchor
        component={Link}
        size="sm"
        href={exploreHref({ event: event.recordId })}
        aria-label={t.eventAndProof(formatTime(event.eventTime, zone, 3))}
      >
        {formatTime(event.eventTime, zone, 3)}
      </Anchor>
      <span>
        {showHidden(sentenceOf(event, sentences))}
        {event.statementPreview && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            <code>{showHidden(event.statementPreview)}</code>
          </Text>
        )}
      </span>
    </div>
  );
}
