import { GraphQLBoolean } from 'graphql';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import type { Answer } from '../../event/shape';
import { Access } from '../../graphql/access';
import { objectType } from '../../graphql/object-type';
import type { LogEpoch } from '../../trail/epoch/log-epoch';
import { LOG_EPOCH, toLogEpoch } from './answers';
import { finishStep } from './finish-step';

const LogEpochType = objectType(LOG_EPOCH);
type LogEpochType = Answer<typeof LOG_EPOCH>;

@Resolver()
export class RestoreResolver {
  constructor(private readonly epoch: LogEpoch) {}

  @Query(() => LogEpochType, {
    description: 'Whether the database was restored, and what waits for an operator since then.',
  })
  @Access({ principal: 'operator' })
  async logEpoch(): Promise<LogEpochType> {
    return toLogEpoch(await this.epoch.look(), this.epoch.isDrill);
  }

  @Mutation(() => LogEpochType, {
    description:
      'Declares the database restored: a new epoch begins, and destinations, mail, notices and retention wait.',
  })
  @Access({ principal: 'operator' })
  async finishRestore(
    @Arg('go', () => GraphQLBoolean, {
      defaultValue: false,
      description: 'Ends the wait: destinations, mail, notices and retention begin.',
    })
    go: boolean,
    @Arg('keepEpoch', () => GraphQLBoolean, {
      defaultValue: false,
      description:
        'Ends the wait and continues the earlier epoch: for a database that was moved, if neither copy has taken events since.',
    })
    keepEpoch: boolean,
    @Ctx() context: Call,
  ): Promise<LogEpochType> {
    return toLogEpoch(
      await finishStep(this.epoch, { go, keepEpoch }, attemptOf(context)),
      this.epoch.isDrill,
    );
  }
}
