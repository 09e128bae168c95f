import type { Attempt } from '../../caller/access-log';
import { DomainError } from '../../errors';
import type { EpochState } from '../../store/log/epoch/epoch';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';

/** What an operator says about a restore. */
export interface FinishStep {
  /** The database goes on: what waits may leave. */
  readonly go: boolean;
  /** The database was only moved: the earlier epoch goes on. */
  readonly keepEpoch: boolean;
}

export const FINISH_OPERATION = 'finishRestore';

/** @throws DomainError `invalid_parameter` */
export function finishStep(epoch: LogEpoch, step: FinishStep, attempt: Attempt): Promise<EpochState> {
  if (step.go && step.keepEpoch)
    throw new DomainError('invalid_parameter', {
      public: 'Give either go or keepEpoch: keepEpoch is for a database that was only moved.',
    });
  if (step.keepEpoch) return epoch.keep(attempt);
  return step.go
    ? epoch.go(attempt)
    : epoch.renew('an operator said that the database was restored', attempt);
}
