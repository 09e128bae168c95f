import { Button } from '@mantine/core';
import { useTexts } from '../../lib/language';
import type { ExploreState } from '../explore-state';
import { EXPLORE } from '../texts';
import type { Change } from '../use-explore-state';
import { hasOpenEnd } from './use-live';

interface Props {
  readonly state: ExploreState;
  readonly change: (change: Change) => void;
}

/** Turns the live view on, with the order in which new events come first, or off. */
export function LiveSwitch({ state, change }: Props) {
  const t = useTexts(EXPLORE);
  const isPossible = hasOpenEnd(state.range);
  const isOn = state.live && isPossible;
  const turn = () => change(isOn ? { live: false } : { live: true, sortBy: 'eventTime', descending: true });
  return (
    <Button
      {...(isOn ? { variant: 'filled' } : { variant: 'subtle', color: 'gray', c: 'inherit' })}
      h={28}
      aria-pressed={isOn}
      disabled={!isPossible}
      title={isPossible ? t.liveOff : t.liveNeedsNow}
      onClick={turn}
    >
      {t.live}
    </Button>
  );
}
