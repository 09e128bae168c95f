import { Text } from '@mantine/core';
import { useTexts } from '../lib/language';
import { formatTime, type TimeZone } from '../lib/time';
import { placeIn, type Stretch } from './coverage/missing';
import classes from './gap-lane.module.css';
import { EXPLORE } from './texts';

/** A gap of a second in a year can still be seen. */
const GAP_PX = 4;

interface Props extends Stretch {
  readonly missing: readonly Stretch[];
  readonly zone: TimeZone;
  /** Pixels beside the bars, left and right. */
  readonly beside: readonly [number, number];
}

/** The stretches in which events may be missing, in a lane of their own below the bars. The completeness line names them. */
export function GapLane({ missing, fromMs, toMs, zone, beside: [left, right] }: Props) {
  const t = useTexts(EXPLORE);
  if (missing.length === 0) return null;
  return (
    <div className={classes.row} aria-hidden>
      <Text className={classes.name} w={left} title={t.gapStretches}>
        {t.gaps}
      </Text>
      <div className={classes.lane} style={{ marginRight: right }} data-testid="gaps">
        {missing.map((one) => {
          const { left: from, width } = placeIn(one, { fromMs, toMs });
          return (
            <div
              key={one.fromMs}
              className={classes.gap}
              style={{ left: `min(${from}%, 100% - ${GAP_PX}px)`, width: `max(${width}%, ${GAP_PX}px)` }}
              title={t.mayBeMissing(textOf(one.fromMs, zone), textOf(one.toMs, zone))}
            />
          );
        })}
      </div>
    </div>
  );
}

const textOf = (ms: number, zone: TimeZone) => formatTime(new Date(ms).toISOString(), zone);
