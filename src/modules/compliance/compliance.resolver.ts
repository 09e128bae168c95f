import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { askerOf, tenantSetOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import { refuseIf } from '../../errors';
import { clampTicks, DAY_MS, formatTicks, msOfTime, parseTicks, TICKS_PER_MS } from '../../event/event-time';
import type { ParameterValues } from '../../event/parameter-specs';
import { fold } from '../../event/search';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import { problem } from '../../problem';
import {
  COMPLIANCE_CONTROL,
  COMPLIANCE_SUMMARY,
  CONTROL_PAGE,
  CONTROL_PARAMETERS,
  CONTROLS_PARAMETERS,
  type DocumentFormat,
  FRAMEWORK_PAGE,
  FRAMEWORKS_PARAMETERS,
  MOMENT,
  SUMMARY_PARAMETERS,
} from './answers';
import type { Assessments } from './assessment';
import { controlsCsv, frameworksCsv, oscalOf } from './documents';
import { type Check, checksOf } from './frameworks';
import type { InstanceTrail } from './trail';

const FrameworkPage = objectType(FRAMEWORK_PAGE);
const ControlPage = objectType(CONTROL_PAGE);
const ControlType = objectType(COMPLIANCE_CONTROL);
const SummaryType = objectType(COMPLIANCE_SUMMARY);

const OF_CONTROL = { ...MOMENT, ...CONTROL_PARAMETERS } as const;
/** Of the lags of sources, unless a caller names another. */
const PERIOD_MS = 30 * DAY_MS;
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
    { page, pageSize, asOf, format }: ParameterValues<typeof FRAMEWORKS_PARAMETERS>,
    context: Call,
  ) {
    const { frameworks } = this.assessments;
    return this.#assess(context, { asOf, checks: checksOf(frameworks) }, async (trails, moment) => {
      const items = await this.assessments.items(frameworks, trails);
      const counts = this.assessments.countsOf(items);
      const document = documentOf(format, {
        csv: () => frameworksCsv(counts),
        oscal: () => oscalOf(frameworks, items, this.#timesOf(moment)),
      });
      return { ...pageOf(counts, page, pageSize), document };
    });
  }

  @Query(() => ControlPage, {
    description: 'A page of controls, one item for each control and server instance.',
  })
  @Access(READ)
  @Takes(CONTROLS_PARAMETERS)
  complianceControls(asked: ParameterValues<typeof CONTROLS_PARAMETERS>, context: Call) {
    const { framework, status, serverInstanceName, page, pageSize, asOf, format } = asked;
    const wanted = this.assessments.frameworks.filter(
      ({ frameworkId }) => framework === undefined || frameworkId === framework,
    );
    const checks = checksOf(wanted);
    return this.#assess(context, { asOf, serverInstanceName, checks }, async (trails, moment) => {
      const items = await this.assessments.items(wanted, trails);
      const own = items.filter((item) => status === undefined || item.status === status);
      const document = documentOf(format, {
        csv: () => controlsCsv(own),
        oscal: () => oscalOf(wanted, own, this.#timesOf(moment)),
      });
      return { ...pageOf(own, page, pageSize), document };
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
    const checks = [found.control.check];
    return this.#assess(context, { asOf, checks }, (trails) => this.assessments.detail(found, trails));
  }

  @Query(() => SummaryType, { description: 'How all controls stand on all server instances.' })
  @Access(READ)
  @Takes(SUMMARY_PARAMETERS)
  complianceSummary({ asOf, startTime }: ParameterValues<typeof SUMMARY_PARAMETERS>, context: Call) {
    const checks = checksOf(this.assessments.frameworks);
    return this.#assess(context, { asOf, checks }, async (trails, moment) => {
      const toMs = Number(moment / TICKS_PER_MS);
      const from = BigInt(startTime === undefined ? toMs - PERIOD_MS : msOfTime(startTime)) * TICKS_PER_MS;
      const fromMs = Number(clampTicks(from) / TICKS_PER_MS);
      if (fromMs > toMs) refuseIf([problem('startTime', 'out_of_range', 'is after the end of the period')]);
      const lags = await this.assessments.lags(tenantSetOf(context), fromMs, toMs);
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
        trails: await this.assessments.health(trails),
        startTime: new Date(fromMs).toISOString(),
        lags,
      };
    });
  }

  #timesOf(moment: bigint) {
    return { asOf: formatTicks(moment), now: new Date(this.nowMs()).toISOString() };
  }

  /** An assessment reads much, so it waits for its turn. */
  #assess<T>(
    context: Call,
    {
      asOf,
      serverInstanceName,
      checks,
    }: {
      readonly asOf?: string | undefined;
      readonly serverInstanceName?: string | undefined;
      readonly checks: readonly Check[];
    },
    work: (trails: readonly InstanceTrail[], asOf: bigint) => Promise<T>,
  ): Promise<T> {
    const given = asOf === undefined ? null : parseTicks(asOf);
    const moment = clampTicks(given ?? BigInt(this.nowMs()) * TICKS_PER_MS);
    const assessed = {
      asOf: moment,
      instance: serverInstanceName === undefined ? null : fold(serverInstanceName),
      checks,
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

/** The whole list in a format; null: the format is that of the page. */
const documentOf = (format: string, makers: Readonly<Record<DocumentFormat, () => string>>): string | null =>
  format === 'json' ? null : makers[format as DocumentFormat]();
