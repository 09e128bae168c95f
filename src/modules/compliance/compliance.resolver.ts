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
  CONTROL_QUERY,
  CONTROLS_PARAMETERS,
  FRAMEWORK_PAGE,
  FRAMEWORKS_PARAMETERS,
  SUMMARY_OF_COMPLIANCE,
} from './answers';
import type { Assessments } from './assessment';

const FrameworkPage = objectType(FRAMEWORK_PAGE);
const ControlPage = objectType(CONTROL_PAGE);
const ControlType = objectType(COMPLIANCE_CONTROL);
const SummaryType = objectType(COMPLIANCE_SUMMARY);

const OF_CONTROL = { ...CONTROL_QUERY, ...CONTROL_PARAMETERS } as const;
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
    return this.#assess(context, asOf, async (trails) =>
      pageOf(await this.assessments.counts(await trails()), page, pageSize),
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
    return this.#assess(context, asOf, async (trails) => {
      const all = wanted.length === 0 ? [] : await trails();
      const own = all.filter(
        (trail) =>
          serverInstanceName === undefined || fold(trail.serverInstanceName) === fold(serverInstanceName),
      );
      const items = await this.assessments.items(wanted, own);
      return pageOf(
        items.filter((item) => status === undefined || item.status === status),
        page,
        pageSize,
      );
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
    return this.#assess(context, asOf, async (trails) => this.assessments.detail(found, await trails()));
  }

  @Query(() => SummaryType, { description: 'How all controls stand on all server instances.' })
  @Access(READ)
  @Takes(SUMMARY_OF_COMPLIANCE)
  complianceSummary({ asOf }: ParameterValues<typeof SUMMARY_OF_COMPLIANCE>, context: Call) {
    return this.#assess(context, asOf, async (trails, asOfMs) => {
      const own = await trails();
      const frameworks = await this.assessments.counts(own);
      const sum = (name: 'pass' | 'fail' | 'unknown' | 'notApplicable') =>
        frameworks.reduce((total, framework) => total + framework[name], 0);
      return {
        asOf: new Date(asOfMs).toISOString(),
        instanceCount: own.length,
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
    asOf: string | undefined,
    work: (trails: () => ReturnType<Assessments['trails']>, asOfMs: number) => Promise<T>,
  ): Promise<T> {
    const ticks = asOf === undefined ? null : parseTicks(asOf);
    const asOfMs = ticks === null ? this.nowMs() : Number(ticks / TICKS_PER_MS);
    const trails = () => this.assessments.trails(tenantSetOf(context), asOfMs);
    return this.fairShare.run(askerOf(context), () => work(trails, asOfMs));
  }
}

const pageOf = <T>(all: readonly T[], page: number, pageSize: number) => ({
  items: all.slice((page - 1) * pageSize, page * pageSize),
  totalCount: all.length,
  page,
  pageSize,
});
