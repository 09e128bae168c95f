import { ActionIcon, Drawer, Group } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { Suspense } from 'react';
import type { EventsQuery } from '../../generated/operations';
import { COMMON } from '../lib/common';
import { CopyAction } from '../lib/copy-action';
import { useTexts } from '../lib/language';
import { part } from '../lib/part';
import type { TimeZone } from '../lib/time';
import { Boundary } from '../shell/boundary';
import { Loading } from '../shell/states';
import type { ExploreState } from './explore-state';
import { EXPLORE } from './texts';
import type { Change } from './use-explore-state';

const EventDetail = part(() => import('./event/event-detail'));

interface Props {
  readonly state: ExploreState;
  readonly page: EventsQuery['auditEvents'] | undefined;
  readonly change: (change: Change) => void;
  readonly zone: TimeZone;
}

/** One event in full, beside the view from which it was opened, with steps to the events above and below. */
export function EventDrawer({ state, page, change, zone }: Props) {
  const common = useTexts(COMMON);
  const t = useTexts(EXPLORE);
  const ids = page?.items.map(({ recordId }) => recordId) ?? [];
  const at = ids.indexOf(state.event ?? '');
  const [previous, next] = at < 0 ? [] : [ids[at - 1], ids[at + 1]];
  return (
    <Drawer
      opened={state.event !== null}
      onClose={() => change({ event: null })}
      position="right"
      size="lg"
      title={t.auditEvent}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {state.event && (
        <>
          <Group gap="xs" mb="sm">
            <Step label={t.previousEvent} to={previous} change={change} icon={IconChevronUp} />
            <Step label={t.nextEvent} to={next} change={change} icon={IconChevronDown} />
            <CopyAction
              isLink
              label={t.copyEventLink}
              text={() => `${location.origin}${location.pathname}?${linkOf(state)}`}
            />
          </Group>
          <Boundary key={state.event}>
            <Suspense fallback={<Loading what={t.theEvent} />}>
              <EventDetail recordId={state.event} state={state} change={change} zone={zone} />
            </Suspense>
          </Boundary>
        </>
      )}
    </Drawer>
  );
}

/** A link to the event alone, since its view may show other rows later. */
const linkOf = ({ event }: ExploreState) => `event=${event}`;

function Step(props: {
  readonly label: string;
  readonly to: string | undefined;
  readonly change: Props['change'];
  readonly icon: typeof IconChevronUp;
}) {
  const { label, to, change, icon: Icon } = props;
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={label}
      disabled={to === undefined}
      onClick={() => to && change({ event: to })}
    >
      <Icon size={18} aria-hidden />
    </ActionIcon>
  );
}
