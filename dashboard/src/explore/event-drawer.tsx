import { Drawer } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { TimeZone } from '../lib/time';
import { Loading } from '../shell/states';
import type { ExploreState } from './explore-state';
import type { Change } from './use-explore-state';

const EventDetail = lazy(() => import('./event-detail'));

interface Props {
  readonly state: ExploreState;
  readonly change: (change: Change) => void;
  readonly zone: TimeZone;
}

/** One event in full, beside the view it was opened from. */
export function EventDrawer({ state, change, zone }: Props) {
  return (
    <Drawer
      opened={state.event !== null}
      onClose={() => change({ event: null })}
      position="right"
      size="lg"
      title="Audit event"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {state.event && (
        <Suspense fallback={<Loading what="the event" />}>
          <EventDetail recordId={state.event} change={change} zone={zone} />
        </Suspense>
      )}
    </Drawer>
  );
}
