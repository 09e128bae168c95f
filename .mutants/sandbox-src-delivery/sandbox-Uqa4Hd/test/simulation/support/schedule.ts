import { SCHEMAS, type SchemaName } from '../../agent/sqlaudit/support/fixtures';
import { Random } from './random';

/** An operation in the middle of which the agent can be caught. */
export type Moment = 'now' | 'delivering' | 'saving' | 'delivered';

/** `audit` is the number of a server audit. Fractions refer to what exists when the step is taken. */
export type Step =
  | { readonly do: 'write'; readonly audit: number; readonly rows: number; readonly cut: number | null }
  | { readonly do: 'writeMore'; readonly audit: number; readonly fraction: number }
  | { readonly do: 'rollOver'; readonly audit: number; readonly cut: number | null }
  | { readonly do: 'restartServer'; readonly audit: number }
  | { readonly do: 'copyFile' | 'renameFile'; readonly audit: number; readonly which: number }
  | { readonly do: 'wait'; readonly polls: number }
  | { readonly do: 'killAgent' | 'killService'; readonly at: Moment }
  | { readonly do: 'stopAgent' | 'startAgent' }
  | { readonly do: 'cutNetwork' | 'silenceNetwork' | 'mendNetwork' };

export interface Schedule {
  readonly seed: number;
  readonly schema: SchemaName;
  readonly audits: number;
  /** RESERVE_DISK_SPACE: files have their full size from the beginning. */
  readonly isReserved: boolean;
  /** MAX_ROLLOVER_FILES beside the current one; null: UNLIMITED. */
  readonly rolloverFilesMax: number | null;
  readonly batchEventsMax: number;
  readonly batchAgeMaxMs: number;
  readonly steps: readonly Step[];
}

const MOMENTS: readonly Moment[] = ['now', 'delivering', 'saving', 'delivered'];

/** The schedule of a seed: always the same one. */
export function scheduleOf(seed: number): Schedule {
  const random = new Random(seed);
  const audits = random.pick([1, 1, 2]);
  return {
    seed,
    schema: random.pick(SCHEMAS),
    audits,
    isReserved: random.chance(0.3),
    rolloverFilesMax: random.chance(0.5) ? random.whole(1, 3) : null,
    batchEventsMax: random.pick([1, 3, 10, 100, 1_000]),
    batchAgeMaxMs: random.pick([0, 0, 20, 100]),
    steps: stepsOf(random, audits),
  };
}

function stepsOf(random: Random, audits: number): Step[] {
  const steps: Step[] = [];
  let isUp = true;
  let isLinked = true;
  for (let left = random.whole(10, 36); left > 0; left--) {
    const step = nextStep(random, audits, isUp, isLinked);
    if (step.do === 'killAgent' || step.do === 'stopAgent') isUp = false;
    if (step.do === 'startAgent') isUp = true;
    if (step.do === 'cutNetwork' || step.do === 'silenceNetwork') isLinked = false;
    if (step.do === 'mendNetwork') isLinked = true;
    steps.push(step);
  }
  return steps;
}

function nextStep(random: Random, audits: number, isUp: boolean, isLinked: boolean): Step {
  const audit = random.whole(0, audits - 1);
  const fraction = () => random.whole(0, 99) / 100;
  const cut = () => (random.chance(0.4) ? fraction() : null);
  const at = isLinked ? random.pick(MOMENTS) : 'now';
  return random.weighted<Step>([
    [9, () => ({ do: 'write', audit, rows: random.whole(1, 6), cut: cut() })],
    [2, () => ({ do: 'writeMore', audit, fraction: fraction() })],
    [2.5, () => ({ do: 'rollOver', audit, cut: cut() })],
    [0.7, () => ({ do: 'restartServer', audit })],
    [0.5, () => ({ do: 'copyFile', audit, which: fraction() })],
    [0.5, () => ({ do: 'renameFile', audit, which: fraction() })],
    [isUp ? 4 : 0, () => ({ do: 'wait', polls: random.whole(1, isLinked ? 5 : 12) })],
    [isUp ? 1.3 : 0, () => ({ do: 'killAgent', at })],
    [isUp ? 0.3 : 0, () => ({ do: 'stopAgent' })],
    [isUp ? 0 : 5, () => ({ do: 'startAgent' })],
    [isLinked ? 0.5 : 0, () => ({ do: 'cutNetwork' })],
    [isLinked ? 0.5 : 0, () => ({ do: 'silenceNetwork' })],
    [isLinked ? 0 : 4, () => ({ do: 'mendNetwork' })],
    [isUp ? 0.1 : 0, () => ({ do: 'killService', at })],
  ]);
}
