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

  @Query(() => LogEpochType, { description: 'Whether the database was restored, and what waits since.' })
  @Access({ principal: 'operator' })
  async logEpoch(): Promise<LogEpochType> {
    return toLogEpoch(await this.epoch.look(), this.epoch.isDrill);
  }

  @Mutation(() => LogEpochType, {
    description:
      'Says that the database was restored: another epoch begins, and destinations, mail, notices and retention wait.',
  })
  @Access({ principal: 'operator' })
  async finishRestore(
    @Arg('go', () => GraphQLBoolean, {
      defaultValue: false,
      description: 'Ends the wait: this database goes on.',
    })
    go: boolean,
    @Arg('keepEpoch', () => GraphQLBoolean, {
      defaultValue: false,
      description:
        'Ends the wait, and goes on with the earlier epoch: the database was moved, and no event came to either since.',
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
