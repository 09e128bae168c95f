import { DomainError } from '../../errors';
import { formatTicks, parseTicks, TICKS_PER_MS } from '../../event/event-time';
import type { Answer } from '../../event/shape';
import { type GapReason, REPORT_CHARS_MAX } from '../../event/source-report';
import { isUuid } from '../../event/uuid';
import { LIMITS } from '../../limits';
import { parseTenantId } from '../../tenant-set';
import type { REPORT_RECEIPT } from './answers';
import type { AuditGap, SourceReport } from './audit-source';
import type { AuditSourceStore } from './audit-source.store';

type Optional = string | null | undefined;

/** A gap as an agent sends it. */
export interface GivenGap {
  readonly gapId: string;
  readonly reason: GapReason;
  readonly fileName: string;
  readonly fileGuid?: Optional;
  readonly detail: string;
  readonly afterTime?: Optional;
  readonly beforeTime?: Optional;
  readonly detectedAt: string;
}

/** A report as an agent sends it: its types are checked, its values are not. */
export interface GivenReport {
  readonly tenantId: string;
  readonly hostName: string;
  readonly databaseName: string;
  readonly agentVersion: string;
  readonly publishedCount: number;
  readonly lastEventTime?: Optional;
  readonly caughtUpAt?: Optional;
  readonly waitingBytes: number;
  readonly problem?: Optional;
  readonly gaps: readonly GivenGap[];
}

/**
 * The report with its times in one form.
 * @param nowMs an agent that claims to catch up later than this has a clock that is ahead: it is caught up now
 * @throws DomainError `invalid_parameter` naming every problem
 */
export function checkReport(given: GivenReport, nowMs: number): SourceReport {
  const check = new Check();
  const caughtUpAt = check.time('caughtUpAt', given.caughtUpAt);
  const now = formatTicks(BigInt(nowMs) * TICKS_PER_MS);
  const report = {
    hostName: check.name('hostName', given.hostName),
    databaseName: check.name('databaseName', given.databaseName),
    agentVersion: check.text('agentVersion', given.agentVersion),
    publishedCount: check.count('publishedCount', given.publishedCount),
    lastEventTime: check.time('lastEventTime', given.lastEventTime),
    caughtUpAt: caughtUpAt !== null && caughtUpAt > now ? now : caughtUpAt,
    waitingBytes: check.count('waitingBytes', given.waitingBytes),
    problem: check.optional('problem', given.problem),
    gaps: gapsOf(check, given.gaps),
    clockAheadMs: clockAheadOf(caughtUpAt, given, nowMs),
  };
  if (check.problems.length > 0)
    throw new DomainError('invalid_parameter', { public: `${check.problems.join('; ')}.` });
  return report;
}

/** An agent without waiting events is caught up at its own present time. No agent can be caught up later than now. */
function clockAheadOf(caughtUpAt: string | null, given: GivenReport, nowMs: number): number | null {
  const ticks = caughtUpAt === null ? null : parseTicks(caughtUpAt);
  if (ticks === null) return null;
  const ahead = Number(ticks / TICKS_PER_MS) - nowMs;
  return ahead > 0 || (given.waitingBytes === 0 && given.problem == null) ? ahead : null;
}

function gapsOf(check: Check, given: readonly GivenGap[]): AuditGap[] {
  if (given.length <= LIMITS.reportGapsMax)
    return given.map((gap, i) => gapOf(check.within(`gaps[${i}].`), gap));
  check.problems.push(`gaps must be at most ${LIMITS.reportGapsMax} in one report`);
  return [];
}

const gapOf = (check: Check, gap: GivenGap): AuditGap => ({
  gapId: check.uuid('gapId', gap.gapId),
  reason: gap.reason,
  fileName: check.text('fileName', gap.fileName),
  fileGuid: gap.fileGuid == null ? null : check.uuid('fileGuid', gap.fileGuid),
  detail: check.text('detail', gap.detail),
  afterTime: check.time('afterTime', gap.afterTime),
  beforeTime: check.time('beforeTime', gap.beforeTime),
  detectedAt: check.time('detectedAt', gap.detectedAt) ?? '',
});

/** Reads values one by one and collects the problems. */
class Check {
  constructor(
    readonly problems: string[] = [],
    private readonly prefix = '',
  ) {}

  within(prefix: string): Check {
    return new Check(this.problems, prefix);
  }

  name(name: 'hostName' | 'databaseName', text: string): string {
    if (text.trim() === '') this.#add(name, 'must not be empty');
    return this.text(name, text);
  }

  text(name: keyof typeof REPORT_CHARS_MAX, text: string): string {
    const max = REPORT_CHARS_MAX[name];
    if (text.length > max) this.#add(name, `must be at most ${max} characters`);
    return text;
  }

  optional(name: keyof typeof REPORT_CHARS_MAX, text: Optional): string | null {
    return text == null ? null : this.text(name, text);
  }

  count(name: string, value: number): number {
    if (!Number.isSafeInteger(value) || value < 0) this.#add(name, 'must be a whole number, 0 or more');
    return value;
  }

  uuid(name: string, text: string): string {
    if (!isUuid(text)) this.#add(name, 'must be a UUID');
    return text.toLowerCase();
  }

  time(name: string, text: Optional): string | null {
    if (text == null) return null;
    const ticks = parseTicks(text);
    if (ticks !== null && ticks >= TICKS_MIN && ticks < TICKS_END) return formatTicks(ticks);
    this.#add(name, 'must be an ISO 8601 time');
    return null;
  }

  #add(name: string, problem: string): void {
    this.problems.push(`${this.prefix}${name} ${problem}`);
  }
}

/** Times must have years of four digits, but an offset can lead beyond them. */
const TICKS_MIN = parseTicks('0000-01-01') ?? 0n;
const TICKS_END = (parseTicks('9999-12-31') ?? 0n) + 86_400_000n * TICKS_PER_MS;

/** Sent after the commit. */
export type ReportReceipt = Answer<typeof REPORT_RECEIPT>;

/**
 * Stores what an agent says of one of its sources, for the tenant of the agent's key.
 * @throws DomainError `forbidden`, `invalid_parameter` naming every problem, and what the store throws
 */
export async function receiveReport(
  keyTenantId: number,
  given: GivenReport,
  store: AuditSourceStore,
  nowMs: number,
): Promise<ReportReceipt> {
  if (parseTenantId(given.tenantId) !== keyTenantId) {
    throw new DomainError('forbidden', {
      public: 'The agent key is bound to another tenant than the report names.',
    });
  }
  const report = checkReport(given, nowMs);
  await store.report(keyTenantId, report, new Date(nowMs));
  return { gapsKept: report.gaps.length };
}
