import { availableParallelism } from 'node:os';
import { LIMITS } from '../../src/limits';
import { alternate } from '../alternate';
import type { Bench } from '../context';
import { compared, type Figure, reported, type Target } from '../figure';
import { CopyFloor, type CopyRound } from '../load/copy-floor';
import { CONNECTIONS, IngestArena, type IngestRound } from '../load/ingest-arena';
import { short } from '../report';

/** What a round stores at most, and which share of the run's rows it stores else. */
const EVENTS_MAX = 300_000;
const ROWS_SHARE = 5;
const BATCH_EVENTS = LIMITS.ingestBatchEventsMax;

/** The events of a batch as agents send them while events come slowly. */
const SMALL_BATCH_EVENTS = 400;

/** Rows a second of the mutation over HTTP against COPY, and in small batches. */
export const ingest = (bench: Bench): Promise<Figure[]> =>
  measureIngest(bench, 'ingest', { search: false, eventsMax: EVENTS_MAX, target: { atLeast: 0.5 } });

export async function measureIngest(
  bench: Bench,
  name: string,
  { search, eventsMax, target }: { search: boolean; eventsMax: number; target: Target },
): Promise<Figure[]> {
  const arena = await IngestArena.open(
    bench,
    Math.min(eventsMax, Math.ceil(bench.options.rows / ROWS_SHARE)),
  );
  const floor = await CopyFloor.open(bench, arena);
  const runs: IngestRound[] = [];
  const floors: CopyRound[] = [];
  const subjects = {
    mutation: async () => {
      const run = await arena.measure(search);
      runs.push(run);
      return run.rate;
    },
    copy: async () => {
      const run = await floor.measure(1);
      floors.push(run);
      return run.rate;
    },
    copies: async () => (await floor.measure(2)).rate,
    small: async () => (search ? Number.NaN : (await arena.measure(false, SMALL_BATCH_EVENTS)).rate),
  };
  try {
    const { mutation, copy, copies, small } = await alternate(bench.options.rounds, subjects, (_, round) =>
      bench.say(
        `  mutation ${short(round.mutation)}, COPY ${short(round.copy)}, two COPYs ${short(round.copies)} rows/s` +
          (search
            ? `, ${short(runs.at(-1)?.lagSeconds ?? 0)} s behind at the end`
            : `, in batches of ${SMALL_BATCH_EVENTS} ${short(round.small)}`),
      ),
    );
    const about = { bench: name, unit: 'rows/s' };
    const note = `${arena.events.toLocaleString('en')} events a round, ${Math.round(floor.bytesPerRow)} B a row`;
    const against = { name: 'COPY', values: copy };
    return [
      compared(
        { ...about, name: `mutation, 5,000 events, ${CONNECTIONS} connections`, target, note },
        mutation,
        against,
      ),
      ...(search
        ? withoutQuietTime(arena, runs, about, against)
        : [
            compared(
              { ...about, name: `mutation, ${SMALL_BATCH_EVENTS} events`, target: { atLeast: 0.85 } },
              small,
              { name: 'batches of 5,000', values: mutation },
            ),
          ]),
      compared({ ...about, name: 'the same', target: null }, mutation, {
        name: 'COPY on 2 connections',
        values: copies,
      }),
      ...processorFigures(name, arena.events, runs, floors),
      reported(
        name,
        'memory of the service',
        'MB',
        runs.map(({ peakMb }) => peakMb),
      ),
    ];
  } finally {
    floor.close();
    await (await bench.databases()).drop('ingest_template');
  }
}

/** Where the machine's time went: what was not waiting, but work. */
function processorFigures(
  bench: string,
  events: number,
  runs: readonly IngestRound[],
  floors: readonly CopyRound[],
): Figure[] {
  const unit = `ms/${BATCH_EVENTS.toLocaleString('en')} events`;
  const perBatch = (ms: number) => (ms / events) * BATCH_EVENTS;
  const of = (pick: (effort: IngestRound['effort']) => number) =>
    runs.map(({ effort }) => perBatch(pick(effort)));
  const copy = {
    name: 'COPY',
    values: floors.map(({ effort }) => perBatch(effort.postgres)),
  };
  const busy = runs.map(
    ({ effort }) =>
      (100 * (effort.service + effort.postgres + effort.sender)) / (effort.wall * availableParallelism()),
  );
  return [
    compared(
      { bench, name: 'processor time, PostgreSQL', unit, target: null },
      of((e) => e.postgres),
      copy,
    ),
    compared(
      { bench, name: 'processor time, service', unit, target: null },
      of((e) => e.service),
      copy,
    ),
    reported(
      bench,
      'processor time, sender',
      unit,
      of((e) => e.sender),
    ),
    reported(bench, 'processors busy', '%', busy, { note: `of ${availableParallelism()}` }),
  ];
}

/** An hour is left alone for a while before it is indexed; in a sustained run that wait is not part of the work. */
function withoutQuietTime(
  arena: IngestArena,
  runs: readonly IngestRound[],
  about: { readonly bench: string; readonly unit: string },
  against: { readonly name: string; readonly values: readonly number[] },
): Figure[] {
  const quietSeconds = LIMITS.indexQuietMs / 1000;
  const rates = runs.map(
    ({ seconds, lagSeconds }) => arena.events / (seconds - Math.min(quietSeconds, lagSeconds)),
  );
  const note = `an hour is not indexed before it was unchanged for ${quietSeconds} s`;
  return [
    compared({ ...about, name: 'less the quiet time', target: null, note }, rates, against),
    reported(
      about.bench,
      'behind after the last receipt',
      's',
      runs.map(({ lagSeconds }) => lagSeconds),
    ),
  ];
}
