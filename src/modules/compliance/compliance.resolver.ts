import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { askerOf, tenantSetOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import { parseTicks, TICKS_PER_MS } from '../../event/event-time';
import type { ParameterValues } from '../../event/parameter-specs';
import { fold } from '../../event/search';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import {
  COMPLIANCE_CONTROL,
  COMPLIANCE_SUMMARY,
  CONTROL_PAGE,
  CONTROL_PARAMETERS,
  CONTROLS_PARAMETERS,
  FRAMEWORK_PAGE,
  FRAMEWORKS_PARAMETERS,
  MOMENT,
} from './answers';
import type { Assessments } from './assessment';
import type { InstanceTrail } from './trail';

const FrameworkPage = objectType(FRAMEWORK_PAGE);
const ControlPage = objectType(CONTROL_PAGE);
const ControlType = objectType(COMPLIANCE_CONTROL);
const SummaryType = objectType(COMPLIANCE_SUMMARY);

const OF_CONTROL = { ...MOMENT, ...CONTROL_PARAMETERS } as const;
const READ = { principal: 'public', scope: 'read:compliance' } as const;

@Resolver()
export class ComplianceResolver {
  constructor(
    private readonly assessments: Assessments,
    private readonly fairShare: Pick<FairShare, 'run'>,
    private readonly nowMs: () => number,
  ) {}

  @Query(() => FrameworkPage, { description: 'The frameworks, with how their controls stand.' })
  @Access(READ)
  @Takes(FRAMEWORKS_PARAMETERS)
  complianceFrameworks(
    { page, pageSize, asOf }: ParameterValues<typeof FRAMEWORKS_PARAMETERS>,
    context: Call,
  ) {
    return this.#assess(context, { asOf }, async (trails) =>
      pageOf(await this.assessments.counts(trails), page, pageSize),
    );
  }

  @Query(() => ControlPage, {
    description: 'A page of controls, one item for each control and server instance.',
  })
  @Access(READ)
  @Takes(CONTROLS_PARAMETERS)
  complianceControls(asked: ParameterValues<typeof CONTROLS_PARAMETERS>, context: Call) {
    const { framework, status, serverInstanceName, page, pageSize, asOf } = asked;
    const wanted = this.assessments.frameworks.filter(
      ({ frameworkId }) => framework === undefined || frameworkId === framework,
    );
    return this.#assess(context, { asOf, serverInstanceName }, async (trails) => {
      const items = await this.assessments.items(wanted, trails);
      const own = items.filter((item) => status === undefined || item.status === status);
      return pageOf(own, page, pageSize);
    });
  }

  @Query(() => ControlType, {
    nullable: true,
    description: 'One control on each server instance; null when there is no such control.',
  })
  @Access(READ)
  @Takes(OF_CONTROL)
  complianceControl({ controlId, asOf }: ParameterValues<typeof OF_CONTROL>, context: Call) {
    const found = this.assessments.find(controlId);
    if (!found) return null;
    return this.#assess(context, { asOf }, (trails) => this.assessments.detail(found, trails));
  }

  @Query(() => SummaryType, { description: 'How all controls stand on all server instances.' })
  @Access(READ)
  @Takes(MOMENT)
  complianceSummary({ asOf }: ParameterValues<typeof MOMENT>, context: Call) {
    return this.#assess(context, { asOf }, async (trails, moment) => {
      const frameworks = await this.assessments.counts(trails);
      const sum = (name: 'pass' | 'fail' | 'unknown' | 'notApplicable') =>
        frameworks.reduce((total, framework) => total + framework[name], 0);
      return {
        asOf: new Date(Number(moment / TICKS_PER_MS)).toISOString(),
        instanceCount: trails.length,
        pass: sum('pass'),
        fail: sum('fail'),
        unknown: sum('unknown'),
        notApplicable: sum('notApplicable'),
        frameworks,
      };
    });
  }

  /** An assessment reads much, so it waits for its turn. */
  #assess<T>(
    context: Call,
    {
      asOf,
      serverInstanceName,
    }: { readonly asOf?: string | undefined; readonly serverInstanceName?: string | undefined },
    work: (trails: readonly InstanceTrail[], asOf: bigint) => Promise<T>,
  ): Promise<T> {
    const moment = (asOf === undefined ? null : parseTicks(asOf)) ?? BigInt(this.nowMs()) * TICKS_PER_MS;
    const assessed = {
      asOf: moment,
      instance: serverInstanceName === undefined ? null : fold(serverInstanceName),
    };
    return this.fairShare.run(askerOf(context), async () =>
      work(await this.assessments.trails(tenantSetOf(context), assessed), moment),
    );
  }
}

const pageOf = <T>(all: readonly T[], page: number, pageSize: number) => ({
  items: all.slice((page - 1) * pageSize, page * pageSize),
  totalCount: all.length,
  page,
  pageSize,
});
