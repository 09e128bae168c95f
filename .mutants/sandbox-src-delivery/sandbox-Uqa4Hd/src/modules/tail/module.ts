import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { AnswerBytes } from '../../caller/rate-limit/holdings';
import type { WaitingPlaces } from '../../caller/rate-limit/waiting-places';
import type { AskRows, OwnerDb } from '../../database/clients';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import { GoneBeginnings } from '../../trail/arrivals/gone-beginning';
import { NewArrivals } from '../../trail/arrivals/new-arrivals';
import { PostgresArrivalReader } from '../../trail/arrivals/stored-arrivals';
import type { TenantForm } from '../../trail/counts/scope';
import type { CheckpointKey } from '../../trail/evidence/note-key';
import { CursorSeal } from './cursor';
import { type ListSources, Tail } from './tail';

const CURSOR_KEY = 'audit-activity tail cursor';

/** The parts that answer calls of the tail. */
export interface TailParts {
  readonly tail: Pick<Tail, 'read'>;
  readonly answers: AnswerBytes;
}

/** Events in the order of arrival, for readers who pull them. The tail is no root field. */
export function openTail(parts: {
  readonly ask: AskRows;
  readonly askOwner: AskRows;
  readonly owner: OwnerDb;
  readonly form: TenantForm;
  readonly checkpointKeys: readonly [CheckpointKey, ...CheckpointKey[]];
  readonly fairShare: FairShare;
  readonly answers: AnswerBytes;
  readonly waitingPlaces: WaitingPlaces;
  readonly listSources: ListSources;
  readonly nowMs: () => number;
}): Module & TailParts {
  const {
    ask,
    askOwner,
    owner,
    form,
    checkpointKeys,
    fairShare,
    answers,
    waitingPlaces,
    listSources,
    nowMs,
  } = parts;
  const [own, ...others] = checkpointKeys;
  const seal = new CursorSeal([own.derive(CURSOR_KEY), ...others.map((key) => key.derive(CURSOR_KEY))]);
  const background = new PostgresArrivalReader(askOwner, form, nowMs);
  const reader = new PostgresArrivalReader(ask, form, nowMs);
  const news = new NewArrivals(reader);
  const gone = new GoneBeginnings(owner, background);
  const tail = new Tail({ reader, news, seal, fairShare, waitingPlaces, listSources });
  return {
    tail,
    answers,
    tasks: [
      {
        name: 'looking for the first events of logs',
        everyMs: LIMITS.goneBeginningMs,
        run: () => gone.run(),
      },
    ],
    metrics: (metrics) =>
      metrics.gauge(
        'tail_calls_waiting',
        'Calls of the tail that wait for new events.',
        () => waitingPlaces.waiting,
      ),
  };
}
