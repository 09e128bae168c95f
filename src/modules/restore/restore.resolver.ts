import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import { guarded } from '../../database/limited';
import type { ParameterSpecs, ParameterValues } from '../../event/parameter-specs';
import type { Answer } from '../../event/shape';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import type { ErasureFiles } from '../../store/log/evidence/erasure-files';
import { LOG_EPOCH, toLogEpoch } from './answers';
import { finishStep } from './finish-step';

const LogEpochType = objectType(LOG_EPOCH);
type LogEpochType = Answer<typeof LOG_EPOCH>;

const FINISH_RESTORE = {
  go: {
    kind: 'boolean',
    isRequired: true,
    default: false,
    doc: 'Ends the wait: destinations, mail, notices and retention begin.',
  },
  keepEpoch: {
    kind: 'boolean',
    isRequired: true,
    default: false,
    doc: 'Ends the wait and continues the earlier epoch: for a database that was moved, if neither copy has taken events since.',
  },
} as const satisfies ParameterSpecs;

@Resolver()
export class RestoreResolver {
  constructor(
    private readonly epoch: LogEpoch,
    private readonly erasures: Pick<ErasureFiles, 'lost'>,
  ) {}

  @Query(() => LogEpochType, {
    description: 'Whether the database was restored, and what waits for an operator since then.',
  })
  @Access({ principal: 'operator' })
  async logEpoch(): Promise<LogEpochType> {
    const state = await this.epoch.look();
    return toLogEpoch(state, this.epoch.isDrill, await this.erasures.lost());
  }

  @Mutation(() => LogEpochType, {
    description:
      'Declares the database restored: a new epoch begins, and destinations, mail, notices and retention wait.',
  })
  @Access({ principal: 'operator' })
  @Takes(FINISH_RESTORE)
  async finishRestore(
    { go, keepEpoch }: ParameterValues<typeof FINISH_RESTORE>,
    context: Call,
  ): Promise<LogEpochType> {
    return toLogEpoch(
      await guarded(() => finishStep(this.epoch, { go, keepEpoch }, attemptOf(context))),
      this.epoch.isDrill,
      await this.erasures.lost(),
    );
  }
}
