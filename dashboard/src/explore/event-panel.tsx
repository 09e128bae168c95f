import { ActionIcon, Drawer, Group } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import type { EventsQuery } from '../../generated/operations';
import type { Session } from '../api/session';
import { COMMON } from '../lib/common';
import { CopyAction } from '../lib/copy-action';
import { Docked } from '../lib/docked';
import { useTexts } from '../lib/language';
import { part } from '../lib/part';
import type { TimeZone } from '../lib/time';
import { useCommands } from '../lib/use-commands';
import { Boundary } from '../shell/boundary';
import { Loading } from '../shell/states';
import type { EventTab } from './event/event-detail';
import type { ExploreState } from './explore-state';
import { EXPLORE } from './texts';
import type { Change } from './use-explore-state';

const EventDetail = part('event-detail', () => import('./event/event-detail'));

/** Whether the window has room for the events beside the panel. */
export const useIsDocked = (): boolean =>
  useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });

interface Props {
  readonly session: Session;
  readonly state: ExploreState;
  readonly page: EventsQuery['auditEvents'] | undefined;
  readonly change: (change: Change) => void;
  readonly zone: TimeZone;
}

/** One event in full, with steps to the events above and below: beside its view, or over it where the window is narrow. */
export function EventPanel({ session, state, page, change, zone }: Props) {
  const common = useTexts(COMMON);
  const t = useTexts(EXPLORE);
  const isDocked = useIsDocked();
  const [tab, setTab] = useState<EventTab>('event');
  const { event } = state;
  const close = () => change({ event: null });
  const content = event !== null && (
    <>
      <Steps state={state} page={page} change={change} />
      <Boundary key={event}>
        <Suspense fallback={<Loading what={t.theEvent} />}>
          <EventDetail
            session={session}
            recordId={event}
            state={state}
            change={change}
            zone={zone}
            tab={tab}
            onTab={setTab}
          />
        </Suspense>
      </Boundary>
    </>
  );
  if (!isDocked)
    return (
      <Drawer
        opened={event !== null}
        onClose={close}
        position="right"
        size="lg"
        title={t.auditEvent}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        {content}
      </Drawer>
    );
  return (
    event !== null && (
      <Docked
        title={t.auditEvent}
        sizeLabel={t.panelWidth}
        onClose={close}
        home={() => document.querySelector<HTMLElement>(`[data-event="${CSS.escape(event)}"] a`)}
      >
        {content}
      </Docked>
    )
  );
}

/** The events above and below in the list, and a link. */
function Steps({ state, page, change }: Omit<Props, 'zone' | 'session'>) {
  const t = useTexts(EXPLORE);
  const ids = page?.items.map(({ recordId }) => recordId) ?? [];
  const at = ids.indexOf(state.event ?? '');
  const [previous, next] = at < 0 ? [] : [ids[at - 1], ids[at + 1]];
  const wayTo = (event: string | undefined) => (event === undefined ? undefined : () => change({ event }));
  useCommands({ down: () => wayTo(next)?.(), up: () => wayTo(previous)?.() });
  return (
    <Group gap="xs" mb="sm">
      <Step label={t.previousEvent} onGo={wayTo(previous)} icon={IconChevronUp} />
      <Step label={t.nextEvent} onGo={wayTo(next)} icon={IconChevronDown} />
      <CopyAction
        isLink
        label={t.copyEventLink}
        text={() => `${location.origin}${location.pathname}?${linkOf(state)}`}
      />
    </Group>
  );
}

/** A link to the event alone, since its view may show other rows later. */
const linkOf = ({ event }: ExploreState) => `event=${event}`;

function Step(props: {
  readonly label: string;
  /** Undefined: there is no such event. */
  readonly onGo: (() => void) | undefined;
  readonly icon: typeof IconChevronUp;
}) {
  const { label, onGo, icon: Icon } = props;
  return (
    <ActionIcon variant="default" aria-label={label} disabled={!onGo} {...(onGo ? { onClick: onGo } : {})}>
      <Icon size={18} aria-hidden />
    </ActionIcon>
  );
}
