import { Text } from '@mantine/core';
import { useThrottledValue } from '@mantine/hooks';
import { useTexts } from '../../lib/language';
import type { In } from '../../lib/texts';
import { EXPLORE } from '../texts';
import type { Live } from './use-live';

/** Whoever hears the page is told of new events no more often. */
const SAY_MS = 3_000;

/** How the live view stands, and how many events have come. */
export function LiveNote({ live }: { readonly live: Live }) {
  const t = useTexts(EXPLORE);
  const text = useThrottledValue(textOf(live, t), SAY_MS);
  return (
    <Text size="sm" role="status" fw={live.state?.kind === 'lost' ? 600 : 400}>
      {text}
    </Text>
  );
}

function textOf({ state, count }: Live, t: In<typeof EXPLORE>): string {
  switch (state?.kind) {
    case undefined:
      return t.liveRests;
    case 'lost':
      return t.liveLost(state.seconds);
    case 'refused':
      return t.liveRefused(state.error.message);
    case 'connecting':
      return count > 0 ? t.newEvents(count) : t.liveConnecting;
    default:
      return count > 0 ? t.newEvents(count) : t.liveOn;
  }
}
