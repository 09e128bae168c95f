import type { AnswerBytes } from '../../caller/rate-limit/answer-bytes';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import { type AskRows, askPrisma, type OwnerDb } from '../../database/clients';
import type { Module } from '../../module';
import { NewArrivals } from '../../trail/arrivals/new-arrivals';
import { PostgresArrivalReader } from '../../trail/arrivals/stored-arrivals';
import type { TenantForm } from '../../trail/counts/scope';
import type { CheckpointKey } from '../../trail/evidence/note-key';
import { CursorSeal } from './cursor';
import { type ListSources, Tail } from './tail';

const CURSOR_KEY = 'audit-activity tail cursor';

/** What answers calls of the tail. */
export interface TailParts {
  readonly tail: Pick<Tail, 'read'>;
  readonly answers: AnswerBytes;
}

/** Pulling events in the order of arrival: it is no root field, and has no background but those who wait. */
export function openTail(parts: {
  readonly ask: AskRows;
  readonly owner: OwnerDb;
  readonly form: TenantForm;
  readonly checkpointKeys: readonly [CheckpointKey, ...CheckpointKey[]];
  readonly fairShare: FairShare;
  readonly answers: AnswerBytes;
  readonly listSources: ListSources;
  readonly nowMs: () => number;
}): Module & TailParts {
  const { ask, owner, form, checkpointKeys, fairShare, answers, listSources, nowMs } = parts;
  const [own, ...others] = checkpointKeys;
  const seal = new CursorSeal([own.derive(CURSOR_KEY), ...others.map((key) => key.derive(CURSOR_KEY))]);
  const news = new NewArrivals(new PostgresArrivalReader(askPrisma(owner), form));
  const reader = new PostgresArrivalReader(ask, form, nowMs);
  const tail = new Tail({ reader, news, seal, fairShare, listSources, nowMs });
  return {
    tail,
    answers,
    metrics: (metrics) =>
      metrics.gauge('tail_calls_waiting', 'Calls of the tail that wait for new events.', () => tail.waiting),
  };
}
