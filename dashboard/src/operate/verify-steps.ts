import type { Client } from 'urql';
import { CheckLogDocument, type CheckLogQuery } from '../../generated/operations';
import { askFor } from '../api/ask';

export interface LogVerdict {
  readonly next: number;
  readonly signed: number;
  /** Events that were accepted and that no checkpoint covers yet. */
  readonly unsigned: number;
  readonly sound: number;
  readonly removed: number;
  readonly wrong: number;
  /** The first records that are not as they were accepted. */
  readonly records: readonly { readonly recordId: string; readonly kind: 'altered' | 'missing' }[];
  readonly problems: readonly string[] /** More events are missing than retention removed; null: it is not so. */;
  readonly excess: { readonly removed: number; readonly max: number } | null;
}

const NOTHING: LogVerdict = {
  next: 0,
  signed: 0,
  unsigned: 0,
  sound: 0,
  removed: 0,
  wrong: 0,
  records: [],
  problems: [],
  excess: null,
};
const RECORDS_MAX = 20;

/** What was found: only `sound` says that events are as they were accepted. */
export type Outcome = 'sound' | 'changed' | 'in doubt' | 'not signed' | 'nothing';

export function outcomeOf({ wrong, problems, excess, signed, unsigned }: LogVerdict): Outcome {
  if (wrong > 0) return 'changed';
  if (problems.length > 0 || excess) return 'in doubt';
  if (signed > 0) return 'sound';
  return unsigned > 0 ? 'not signed' : 'nothing';
}

/** Verifies a log from its beginning to its end. @throws the service's refusal, or an abort */
export async function verifyLog(
  client: Client,
  tenantId: string,
  signal: AbortSignal,
  onProgress: (verdict: LogVerdict) => void,
): Promise<LogVerdict> {
  for (let verdict = NOTHING; ; onProgress(verdict)) {
    const variables = { tenantId, start: verdict.next };
    const { auditLogCheck } = await askFor(client, signal, CheckLogDocument, variables);
    verdict = together(verdict, auditLogCheck);
    if (verdict.next >= verdict.signed) return held(verdict, auditLogCheck.removedByRetention);
  }
}

type Step = CheckLogQuery['auditLogCheck'];

/** Reports it if more events are missing than retention removed, so that nobody can hide a deletion behind retention. */
function held(verdict: LogVerdict, removedMax: number): LogVerdict {
  const { removed } = verdict;
  return removed <= removedMax ? verdict : { ...verdict, excess: { removed, max: removedMax } };
}

function together(before: LogVerdict, step: Step): LogVerdict {
  const altered = step.altered.map((recordId) => ({ recordId, kind: 'altered' as const }));
  const missing = step.missing.map((recordId) => ({ recordId, kind: 'missing' as const }));
  return {
    next: step.next,
    signed: step.signed,
    unsigned: step.unsigned,
    sound: before.sound + step.sound,
    removed: before.removed + step.removed,
    wrong: before.wrong + step.wrong,
    records: [...before.records, ...altered, ...missing].slice(0, RECORDS_MAX),
    problems: [...new Set([...before.problems, ...step.problems])],
    excess: null,
  };
}
