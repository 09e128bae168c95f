import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { showHidden } from '../explore/event/marks';
import { sentenceOf } from '../explore/event/sentence';
import { EVENT } from '../explore/event/texts';
import { useTexts } from '../lib/language';
import { formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { formatTime, type TimeZone } from '../lib/time';
import classes from './alerts.module.css';
import { aroundHref, eventsHref, exploreHref } from './explore-links';
import { groupText } from './group-text';
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
  const [zone] = useTimeZone();
  const ids = new Set(finding.recordIds);
  const own = events.filter(({ recordId }) => ids.has(recordId)).slice(0, SHOWN_MAX);
  const instances = new Set(own.map(({ serverInstanceName }) => serverInstanceName));
  const [instance = null] = instances.size === 1 ? instances : [];
  const left = finding.eventCount - own.length;
  return (
    <li data-testid="finding">
      <Text size="sm" fw={600}>
        {formatTime(finding.firstEventTime, zone, 3)}
        {finding.firstEventTime !== finding.lastEventTime &&
          ` – ${formatTime(finding.lastEventTime, zone, 3)}`}
      </Text>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {formatCount(finding.eventCount)} {finding.eventCount === 1 ? 'event' : 'events'}
        {groupText(finding.group) && `: ${showHidden(groupText(finding.group))}`}
      </Text>
      {finding.summary && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {showHidden(finding.summary)}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        Found {formatTime(finding.detectedAt, zone)} by version {finding.ruleVersion} of the rule
      </Text>
      {own.map((event) => (
        <EventLine key={event.recordId} event={event} zone={zone} />
      ))}
      {mayRead && isBusy && own.length === 0 && (
        <Text size="sm" c="dimmed">
          Loading the events …
        </Text>
      )}
      {mayRead && (
        <Group gap="md" mt={4}>
          {finding.recordIds.length > 0 && (
            <Anchor component={Link} size="sm" href={eventsHref(finding.recordIds, finding)}>
              {left > 0 && own.length > 0
                ? `All events in Explore (${formatCount(left)} more)`
                : 'In Explore'}
            </Anchor>
          )}
          <Anchor component={Link} size="sm" href={aroundHref(finding, instance)}>
            What happened around it
          </Anchor>
        </Group>
      )}
    </li>
  );
}

/** An event as a sentence, with a link to the whole event and its proof. */
const EventLine = ({ event, zone }: { readonly event: FindingEvent; readonly zone: TimeZone }) => (
  <div className={classes.event}>
    <Anchor
      component={Link}
      size="sm"
      href={exploreHref({ event: event.recordId })}
      aria-label={`${formatTime(event.eventTime, zone, 3)}, the event and its proof`}
    >
      {formatTime(event.eventTime, zone, 3)}
    </Anchor>
    <span>
      {showHidden(sentenceOf(event, useTexts(EVENT)))}
      {event.statementPreview && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          <code>{showHidden(event.statementPreview)}</code>
        </Text>
      )}
    </span>
  </div>
);
