import { Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import type { ParameterValues } from '../../event/parameter-specs';
import type { Answer } from '../../event/shape';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import { SEALED_WEEK, UNSEALED_WEEK, WEEK_CHANGE } from './answers';
import { ONE_WEEK, SEALED_WEEKS } from './archive-parameters';
import type { ManageArchive } from './manage-archive';

const SealedWeekType = objectType(SEALED_WEEK);
type SealedWeekType = Answer<typeof SEALED_WEEK>;
const UnsealedWeekType = objectType(UNSEALED_WEEK);
type UnsealedWeekType = Answer<typeof UNSEALED_WEEK>;
const WeekChangeType = objectType(WEEK_CHANGE);
type WeekChangeType = Answer<typeof WEEK_CHANGE>;

@Resolver()
export class ArchiveResolver {
  constructor(private readonly archive: ManageArchive) {}

  @Query(() => [SealedWeekType], { description: 'Weeks whose events lie in files, newest first.' })
  @Access({ principal: 'operator' })
  @Takes(SEALED_WEEKS)
  sealedWeeks({ tenantId, first }: ParameterValues<typeof SEALED_WEEKS>): Promise<SealedWeekType[]> {
    return this.archive.list(tenantId ?? null, first);
  }

  @Query(() => [UnsealedWeekType], {
    description:
      'Weeks that are over and could not be put into a file at the last attempt, newest attempt first.',
  })
  @Access({ principal: 'operator' })
  @Takes(SEALED_WEEKS)
  unsealedWeeks({ tenantId, first }: ParameterValues<typeof SEALED_WEEKS>): Promise<UnsealedWeekType[]> {
    return this.archive.unsealed(tenantId ?? null, first);
  }

  @Mutation(() => WeekChangeType, {
    description: 'Puts the events of a week that is over into a file. All readers go on as before.',
  })
  @Access({ principal: 'operator' })
  @Takes(ONE_WEEK)
  sealWeek(
    { tenantId, week }: ParameterValues<typeof ONE_WEEK>,
    @Ctx() context: Call,
  ): Promise<WeekChangeType> {
    return this.archive.seal(tenantId, week, attemptOf(context));
  }

  @Mutation(() => WeekChangeType, {
    description: 'Brings the events of a sealed week back into rows, and leaves them there.',
  })
  @Access({ principal: 'operator' })
  @Takes(ONE_WEEK)
  restoreWeek(
    { tenantId, week }: ParameterValues<typeof ONE_WEEK>,
    @Ctx() context: Call,
  ): Promise<WeekChangeType> {
    return this.archive.restore(tenantId, week, attemptOf(context));
  }
}
