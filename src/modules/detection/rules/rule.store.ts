import type { Attempt } from '../../../caller/access-log';
import { changeOfTenant } from '../../../caller/access-log.store';
import type { Prisma, ServiceDoor } from '../../../database/clients';
import { guarded } from '../../../database/limited';
import { ofTenants } from '../../../database/tenant-rows';
import { DomainError, isFinal, refusal, refuseIf } from '../../../errors';
import { hiddenProblem } from '../../../event/parse-parameters';
import type { Answer } from '../../../event/shape';
import type { RuleSource } from '../../../rules/host';
import type { Tuning } from '../../../rules/rule';
import type { ReadFile, Reading } from '../../../rules/rule-reader';
import { oneTenant } from '../../../tenant-set';
import { EXCEPTIONS_MAX, exceptionProblems } from '../base/parameters';
import type { DETECTION_RULE, RULE_COVERAGE } from '../base/work-answers';
import { checkOwnRules, refused } from './own-rule-bounds';
import type { RuleAbouts } from './rule-abouts';
import { digestOf, tuningOf } from './rule-digest';
import type { ShippedRule } from './shipped-rules';
import { type AuditCoverage, coverageOf, needsOf } from './sight';
import {
  type FilterRow,
  filtersOf,
  REMOVED,
  type RuleRow,
  rowsOf,
  settleVersions,
  type TenantRule,
  tenantRules,
  toSource,
} from './tenant-rules';
import { assertTunes, settingsOf } from './tuning';

type RuleAnswer = Answer<typeof DETECTION_RULE>;

/** The number of removed rules of a tenant whose versions are remembered. */
const REMOVED_MAX = 1_000;

/** A rule to test. It need not be one of the tenant's. A file may have several rules. */
export interface TestedRule extends RuleSource {
  readonly title: string;
  /** The other rules of the same file. */
  readonly others?: readonly RuleSource[];
}

/** Who brings a rule. */
interface SeenBy {
  /** Whether the caller sees statements without literals, which findings of a rule could tell word by word. */
  readonly masks: boolean;
}

/**
 * Reads and changes the rules and filters of a tenant. Each change increases a revision, by which engines notice it.
 */
export class RuleStore {
  constructor(
    private readonly service: ServiceDoor,
    private readonly shipped: ReadonlyMap<string, ShippedRule>,
    private readonly abouts: RuleAbouts,
    private readonly nowMs: () => number,
  ) {}

  /** @returns shipped rules by their numbers, then the tenant's own rules, then its filters */
  async list(tenantId: number): Promise<readonly RuleAnswer[]> {
    const { rows, rules } = await this.#all(tenantId);
    const answers: RuleAnswer[] = [];
    for (const rule of rules) answers.push(...(await ruleAnswer(tenantId, rule)));
    const filters: RuleAnswer[] = [];
    for (const filter of filtersOf(rows))
      filters.push(...(await this.#filterAnswer(tenantId, filter, rules)));
    const own = answers.filter(({ shipped }) => !shipped);
    return [...answers.filter(({ shipped }) => shipped), ...byTitle(own), ...byTitle(filters)];
  }

  /** Where the tenant's rules see what they look for. */
  async coverage(
    tenantId: number,
    coverage: Pick<AuditCoverage, 'groupsThatWrite'>,
    instances: Awaited<ReturnType<AuditCoverage['instances']>>,
  ): Promise<readonly Answer<typeof RULE_COVERAGE>[]> {
    const { rules } = await this.#all(tenantId);
    const answers: Answer<typeof RULE_COVERAGE>[] = [];
    for (const { ruleId, about } of rules) {
      const read = await guarded(about);
      if (read) answers.push(coverageOf({ ruleId, title: read.title }, needsOf(read, coverage), instances));
    }
    return answers;
  }

  /** @throws DomainError `not_found` */
  async find(tenantId: number, ruleId: string): Promise<RuleAnswer> {
    const found = (await this.list(tenantId)).find((rule) => rule.ruleId === ruleId.toLowerCase());
    if (!found) throw noSuchRule();
    return found;
  }

  /**
   * A rule as engines get it.
   * @param tuning in place of the tenant's; null: as in the file
   * @throws DomainError `not_found`; `invalid_parameter` for a filter, and for tuning that would change nothing
   */
  async runnable(tenantId: number, ruleId: string, tuning?: Tuning | null): Promise<TestedRule> {
    const { rows, rules } = await this.#all(tenantId);
    const id = ruleId.toLowerCase();
    if (filtersOf(rows).some((filter) => filter.ruleId === id))
      throw refused('A filter finds nothing by itself: test a rule that it narrows.');
    const rule = rules.find((one) => one.ruleId === id);
    const about = rule && (await guarded(rule.about));
    if (!rule || !about) throw noSuchRule();
    if (tuning) await this.#assertTunes(rule, tuning);
    return { ...toSource(rule), ...(tuning !== undefined && { tuning }), title: about.title };
  }

  /** The rules of a file, with the tenant's filters, as engines would get them. @throws DomainError `invalid_parameter` */
  async runnableFile(tenantId: number, source: string, { masks }: SeenBy): Promise<TestedRule> {
    const given = await this.#rulesOf(source, { masks });
    const rows = given.map(({ ruleId, source: own }): RuleRow => {
      return { ruleId, kind: 'rule', source: own, enabled: true, tuning: null, version: 1, digest: '' };
    });
    const filters = filtersOf((await this.#all(tenantId)).rows);
    const [first, ...others] = (await tenantRules([...filters, ...rows], new Map(), this.abouts)).map(
      toSource,
    );
    const title = given[0]?.title ?? '';
    if (!first) throw refused('The file has no rule.');
    return { ...first, others, title: others.length === 0 ? title : `${title}, and ${others.length} more` };
  }

  /** Adds the rules and filters of a Sigma file, or puts them in the place of those with the same ids. */
  async import(
    tenantId: number,
    source: string,
    attempt: Attempt,
    { masks }: SeenBy,
  ): Promise<readonly RuleAnswer[]> {
    const { rules, filters } = await this.#read(source, { masks });
    const given = [
      ...rules.map(({ ruleId, source: text }) => ({ ruleId, kind: 'rule' as const, source: text })),
      ...filters.map(({ filterId, source: text }) => ({
        ruleId: filterId,
        kind: 'filter' as const,
        source: text,
      })),
    ];
    const ids = new Set(given.map(({ ruleId }) => ruleId));
    const ofShipped = [...ids].find((ruleId) => this.shipped.has(ruleId));
    if (ofShipped)
      throw refused(
        `The id ${ofShipped} is that of a rule that came with the service. Give yours another one.`,
      );
    if (ids.size < given.length) throw refused('A rule and a filter of the file have the same id.');
    await this.#change(tenantId, attempt, async (tx) => {
      const there = new Map((await rowsOf(tx, tenantId)).map((row) => [row.ruleId, row]));
      for (const { ruleId, kind, source: text } of given) {
        const before = there.get(ruleId);
        if (before && before.kind !== kind && before.kind !== REMOVED)
          throw refused(
            `The id ${ruleId} is that of a ${before.kind} of the tenant. Give yours another one.`,
          );
        const isFilter = kind === 'filter';
        const tuning = isFilter ? null : tuningOf(before?.tuning ?? null);
        if (tuning) await this.#assertStillTunes({ ruleId, source: text }, tuning);
        await this.#put(tx, tenantId, {
          ruleId,
          kind,
          source: text,
          tuning: before?.tuning ?? null,
          enabled: before?.kind === kind ? before.enabled : true,
          version: (before?.version ?? 0) + Number(isFilter),
          digest: isFilter ? digestOf(text, null) : before?.kind === REMOVED ? '' : (before?.digest ?? ''),
        });
      }
      return { grows: true };
    });
    const all = await this.list(tenantId);
    return all.filter(({ ruleId }) => ids.has(ruleId));
  }

  async setEnabled(
    tenantId: number,
    ruleId: string,
    enabled: boolean,
    attempt: Attempt,
  ): Promise<RuleAnswer> {
    await this.#changeOne(tenantId, ruleId, attempt, async (row) => ({ ...row, enabled }));
    return this.find(tenantId, ruleId);
  }

  /** @param tuning null: no tuning, as in the file */
  async tune(tenantId: number, ruleId: string, tuning: Tuning | null, attempt: Attempt): Promise<RuleAnswer> {
    await this.#changeOne(tenantId, ruleId, attempt, async (row, source) => {
      if (row.kind === 'filter')
        throw refused('A filter has no settings: import a changed file in its place.');
      if (tuning) await this.#assertTunes({ ruleId: row.ruleId, source }, tuning);
      return { ...row, tuning: tuning === null ? null : JSON.stringify(tuning) };
    });
    return this.find(tenantId, ruleId);
  }

  /**
   * Adds an exception to the tuning of a rule.
   * @param also what else belongs to the change, in its transaction
   * @throws DomainError `invalid_parameter` for one exception too many
   */
  async except(
    tenantId: number,
    ruleId: string,
    exception: Readonly<Record<string, string>>,
    attempt: Attempt,
    also: (tx: Prisma.TransactionClient) => Promise<void>,
  ): Promise<RuleAnswer> {
    await this.#changeOne(tenantId, ruleId, attempt, async (row, source, tx) => {
      const before = tuningOf(row.tuning);
      const key = keyOf(exception);
      const others = (before?.exceptions ?? []).filter((one) => keyOf(one) !== key);
      const exceptions = [...others, exception];
      if (exceptions.length > EXCEPTIONS_MAX)
        throw refused(`A rule has at most ${EXCEPTIONS_MAX} exceptions. Write a filter instead.`);
      refuseIf(
        exceptionProblems(
          exceptions.map((one) => JSON.stringify(one)),
          'exceptions',
        ),
      );
      const tuning = { ...before, exceptions };
      await this.#assertTunes({ ruleId: row.ruleId, source }, tuning);
      await also(tx);
      return { ...row, tuning: JSON.stringify(tuning) };
    });
    return this.find(tenantId, ruleId);
  }

  /** Removes a rule or filter of the tenant's own. Its findings stay. @returns the removed rule */
  async remove(tenantId: number, ruleId: string, attempt: Attempt): Promise<RuleAnswer> {
    const before = await this.find(tenantId, ruleId);
    if (before.shipped) throw refused('The rule came with the service: it can be disabled, not removed.');
    await this.#changeOne(tenantId, ruleId, attempt, async (row) => ({
      ruleId: row.ruleId,
      kind: REMOVED,
      source: null,
      enabled: false,
      tuning: null,
      version: row.version,
      digest: '',
    }));
    return before;
  }

  /** @throws DomainError `invalid_parameter` */
  async #assertTunes(
    { ruleId, source }: { readonly ruleId: string; readonly source: string },
    tuning: Tuning,
  ): Promise<void> {
    const rules = await this.#rulesOf(source, { tuned: { ruleId, tuning } });
    const rule = rules.find((one) => one.ruleId === ruleId);
    if (rule) assertTunes(rule, tuning);
  }

  /** Refuses a file with which the tenant's tuning of the rule is none. @throws DomainError `invalid_parameter` */
  async #assertStillTunes(rule: { readonly ruleId: string; readonly source: string }, tuning: Tuning) {
    await this.#assertTunes(rule, tuning).catch((error: unknown) => {
      if (!isFinal(error)) throw error;
      const why = error instanceof Error ? error.message : '';
      throw refused(
        `The tenant's settings of the rule ${rule.ruleId} do not fit the file: take them back first. ${why}`,
      );
    });
  }

  async #all(
    tenantId: number,
  ): Promise<{ readonly rows: readonly RuleRow[]; readonly rules: readonly TenantRule[] }> {
    return guarded(async () => {
      const rows = await ofTenants(this.service, oneTenant(tenantId), (tx) => rowsOf(tx, tenantId));
      return { rows, rules: await tenantRules(rows, this.shipped, this.abouts) };
    });
  }

  #changeOne(
    tenantId: number,
    given: string,
    attempt: Attempt,
    change: (row: RuleRow, source: string, tx: Prisma.TransactionClient) => Promise<RuleRow>,
  ): Promise<void> {
    const ruleId = given.toLowerCase();
    return this.#change(
      tenantId,
      attempt,
      async (tx) => {
        const known = (await rowsOf(tx, tenantId)).find((row) => row.ruleId === ruleId);
        const shipped = this.shipped.get(ruleId)?.source;
        const source = known?.source ?? shipped;
        if (source === undefined) throw noSuchRule();
        const row = known ?? {
          ruleId,
          kind: 'rule' as const,
          source: null,
          enabled: true,
          tuning: null,
          version: 1,
          digest: digestOf(source, null),
        };
        const changed = await change(row, source, tx);
        await this.#put(tx, tenantId, changed);
        return { grows: changed.enabled && !row.enabled };
      },
      ruleId,
    );
  }

  #change(
    tenantId: number,
    attempt: Attempt,
    work: (tx: Prisma.TransactionClient) => Promise<{ readonly grows: boolean }>,
    subject?: string,
  ): Promise<void> {
    return changeOfTenant(this.service, tenantId, attempt, async (tx) => {
      // Changes of a tenant's rules wait for each other here.
      await tx.$executeRawUnsafe(
        `INSERT INTO detection_position AS p (tenant_id, position, learned, learn_until, revision, due_at)
           SELECT t.tenant_id, 0, 0, 0, 1, $2::timestamptz FROM tenant t WHERE t.tenant_id = $1::int
           ON CONFLICT (tenant_id) DO UPDATE SET revision = p.revision + 1, due_at = excluded.due_at`,
        ...[tenantId, new Date(this.nowMs())],
      );
      const { grows } = await work(tx);
      const rows = await rowsOf(tx, tenantId);
      const rules = await tenantRules(rows, this.shipped, this.abouts);
      if (grows) await checkOwnRules(rows, rules);
      await settleVersions(tx, tenantId, rules);
      await forgetRemoved(tx, tenantId, rows);
      return { value: undefined, ...(subject !== undefined && { subject }) };
    });
  }

  /** @throws DomainError `invalid_parameter` that names lines and reasons */
  async #read(source: string, { masks, ...reading }: Reading & Partial<SeenBy> = {}): Promise<ReadFile> {
    const file = await guarded(() => this.abouts.reader.read(source, reading));
    if (masks && file.looksIntoStatements) throw refusal([hiddenProblem('source')]);
    if (file.problems.length === 0) return file;
    const named = file.problems.map(({ line, reason }) => `Line ${line}: ${reason}.`);
    throw refused(`The rule is not taken. ${named.join(' ')}`);
  }

  /** @throws DomainError as `#read`, and if the file has no rule */
  async #rulesOf(source: string, reading?: Reading & Partial<SeenBy>): Promise<ReadFile['rules']> {
    const { rules, filters } = await this.#read(source, reading);
    if (rules.length > 0) return rules;
    const reason = filters.length > 0 ? 'the file has filters and no rule' : 'the file has no rule';
    throw refused(`The rule is not taken. Line 1: ${reason}.`);
  }

  async #put(tx: Prisma.TransactionClient, tenantId: number, row: RuleRow): Promise<void> {
    const { ruleId, ...rest } = row;
    const at = new Date(this.nowMs());
    const data = { ...rest, updatedAt: at };
    const { count } = await tx.detectionRule.updateMany({ where: { tenantId, ruleId }, data });
    if (count === 0) await tx.detectionRule.create({ data: { tenantId, ruleId, ...data, createdAt: at } });
  }

  async #filterAnswer(
    tenantId: number,
    filter: FilterRow,
    rules: readonly TenantRule[],
  ): Promise<RuleAnswer[]> {
    const { ruleId, source, enabled, version } = filter;
    const document = await guarded(() => this.abouts.filter(source));
    if (!document) return [];
    const { title, description } = document;
    const narrowed = rules.filter(({ filters }) => filters.some((one) => one.ruleId === ruleId));
    return [
      {
        ruleId,
        tenantId: String(tenantId),
        kind: 'filter',
        title,
        severity: null,
        enabled,
        version,
        shipped: false,
        description,
        why: '',
        falsePositives: [],
        tags: [],
        tuning: null,
        source,
        settings: [],
        narrows: narrowed.map((rule) => rule.ruleId),
        narrowedBy: [],
      },
    ];
  }
}

/** The same for exceptions with the same values, in whatever order. */
const keyOf = (exception: Readonly<Record<string, string>>) =>
  JSON.stringify(Object.entries(exception).sort());

async function forgetRemoved(
  tx: Prisma.TransactionClient,
  tenantId: number,
  rows: readonly RuleRow[],
): Promise<void> {
  const removed = rows.filter(({ kind }) => kind === REMOVED).length;
  if (removed <= REMOVED_MAX) return;
  const oldest = await tx.detectionRule.findMany({
    where: { tenantId, kind: REMOVED },
    orderBy: { updatedAt: 'asc' },
    select: { ruleId: true },
    take: removed - REMOVED_MAX,
  });
  await tx.detectionRule.deleteMany({
    where: { tenantId, kind: REMOVED, ruleId: { in: oldest.map(({ ruleId }) => ruleId) } },
  });
}

/** @returns one answer, or none if this release cannot read the rule */
async function ruleAnswer(tenantId: number, rule: TenantRule): Promise<RuleAnswer[]> {
  const about = await guarded(rule.about);
  if (!about) return [];
  const { ruleId, source, enabled, version, tuning, isShipped: shipped } = rule;
  const { title, severity, description, why, falsePositives, tags } = about;
  return [
    {
      ruleId,
      tenantId: String(tenantId),
      kind: 'rule',
      title,
      severity,
      enabled,
      shipped,
      version,
      description,
      why,
      falsePositives,
      tags,
      tuning,
      source,
      settings: settingsOf(about),
      narrows: [],
      narrowedBy: rule.filters.map((filter) => filter.ruleId),
    },
  ];
}

const byTitle = (answers: readonly RuleAnswer[]): readonly RuleAnswer[] =>
  [...answers].sort((a, b) => (a.title < b.title ? -1 : 1));

const noSuchRule = () => new DomainError('not_found', { public: 'There is no such record.' });
