import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Attempt, changeOf } from '../../caller/access-entry';
import { insertEntries } from '../../caller/access-log.store';
import type { Prisma, ServiceDb } from '../../database/clients';
import { guarded } from '../../database/failure';
import { ofTenants } from '../../database/tenant-rows';
import type { Rule, RuleAbout, Tuning } from '../../detection/rule';
import { RuleRefused } from '../../detection/sigma/problem';
import { parseRules } from '../../detection/sigma/rule-file';
import { DomainError } from '../../errors';
import type { Answer } from '../../event/shape';
import { LIMITS } from '../../limits';
import type { ShippedRule } from './shipped-rules';
import { digestOf, rowsOf, tuningOf } from './tenant-rules';
import type { DETECTION_RULE } from './work-answers';

/** Of the files they were read from. */
const ABOUTS_CHARS_MAX = 8 * 1024 * 1024;

export type RuleAnswer = Answer<typeof DETECTION_RULE>;

interface RuleRow {
  readonly ruleId: string;
  readonly source: string | null;
  readonly enabled: boolean;
  readonly tuning: string | null;
  readonly version: number;
}

/** Reads and changes the rules of a tenant. Engines notice a change by the revision that it counts. */
export class RuleStore {
  readonly #abouts = new LRUCache<string, { readonly about: (RuleAbout & { readonly cost: number }) | null }>(
    {
      maxSize: ABOUTS_CHARS_MAX,
    },
  );

  constructor(
    private readonly prisma: ServiceDb,
    private readonly shipped: ReadonlyMap<string, ShippedRule>,
    private readonly nowMs: () => number,
  ) {}

  /** Shipped ones first, by their numbers. */
  async list(tenantId: number): Promise<readonly RuleAnswer[]> {
    const rows = await guarded(() => ofTenants(this.prisma, [tenantId], (tx) => rowsOf(tx, tenantId)));
    const known = new Map(rows.map((row) => [row.ruleId, row]));
    const shipped: RuleAnswer[] = [];
    for (const ruleId of this.shipped.keys())
      shipped.push(...(await this.#answer(tenantId, ruleId, known.get(ruleId))));
    const own: RuleAnswer[] = [];
    for (const row of rows)
      if (row.source !== null) own.push(...(await this.#answer(tenantId, row.ruleId, row)));
    return [...shipped, ...own.sort((a, b) => (a.title < b.title ? -1 : 1))];
  }

  /** @throws DomainError `not_found` */
  async find(tenantId: number, ruleId: string): Promise<RuleAnswer> {
    const found = (await this.list(tenantId)).find((rule) => rule.ruleId === ruleId.toLowerCase());
    if (!found) throw noSuchRule();
    return found;
  }

  /** Adds the rules of a Sigma file, or puts them in the place of those with the same ids. Each keeps its documents. */
  async import(tenantId: number, source: string, attempt: Attempt): Promise<readonly RuleAnswer[]> {
    const rules = rulesOf(source);
    const taken = rules.find(({ ruleId }) => this.shipped.has(ruleId));
    if (taken)
      throw refused(
        `The id ${taken.ruleId} is that of a rule that came with the service. Give yours another one.`,
      );
    await this.#change(tenantId, attempt, async (tx) => {
      const there = await rowsOf(tx, tenantId);
      const own = there.flatMap(({ ruleId, source: text }) =>
        text !== null && !rules.some((rule) => rule.ruleId === ruleId) ? [{ ruleId, source: text }] : [],
      );
      const all = [...own, ...rules];
      const chars = all.reduce((sum, one) => sum + one.source.length, 0);
      if (own.length + rules.length > LIMITS.ownRulesMax)
        throw refused(`A tenant has at most ${LIMITS.ownRulesMax} rules of its own.`);
      if (chars > LIMITS.ownRulesCharsMax)
        throw refused(`The rules of a tenant's own have at most ${LIMITS.ownRulesCharsMax} characters.`);
      let cost = rules.reduce((sum, rule) => sum + rule.cost, 0);
      for (const one of own) cost += (await this.#about(one.source, one.ruleId, null))?.cost ?? 0;
      if (cost > LIMITS.ownRulesCostMax)
        throw refused(
          'The rules of a tenant have too many values, or too large regular expressions, to look at each event with them: ' +
            `they come to ${cost} with this file, and may come to ${LIMITS.ownRulesCostMax}.`,
        );
      for (const { ruleId, source: own } of rules) {
        const before = there.find((row) => row.ruleId === ruleId);
        await this.#put(tx, tenantId, {
          ...{ ruleId, source: own, enabled: before?.enabled ?? true, tuning: before?.tuning ?? null },
          version: (before?.version ?? 0) + 1,
        });
      }
    });
    const all = await this.list(tenantId);
    return all.filter((rule) => rules.some(({ ruleId }) => ruleId === rule.ruleId));
  }

  async setEnabled(
    tenantId: number,
    ruleId: string,
    enabled: boolean,
    attempt: Attempt,
  ): Promise<RuleAnswer> {
    await this.#changeOne(tenantId, ruleId, attempt, (row) => ({ ...row, enabled }));
    return this.find(tenantId, ruleId);
  }

  /** @param tuning null: as the file says */
  async tune(tenantId: number, ruleId: string, tuning: Tuning | null, attempt: Attempt): Promise<RuleAnswer> {
    await this.#changeOne(tenantId, ruleId, attempt, (row, source) => {
      rulesOf(source, ruleId, tuning);
      return { ...row, tuning: tuning === null ? null : JSON.stringify(tuning), version: row.version + 1 };
    });
    return this.find(tenantId, ruleId);
  }

  #changeOne(
    tenantId: number,
    given: string,
    attempt: Attempt,
    change: (row: RuleRow, source: string) => RuleRow,
  ): Promise<void> {
    const ruleId = given.toLowerCase();
    return this.#change(
      tenantId,
      attempt,
      async (tx) => {
        const known = (await rowsOf(tx, tenantId)).find((row) => row.ruleId === ruleId);
        const source = known?.source ?? this.shipped.get(ruleId)?.source;
        if (source === undefined) throw noSuchRule();
        const row = known ?? { ruleId, source: null, enabled: true, tuning: null, version: 1 };
        await this.#put(tx, tenantId, change(row, source));
      },
      ruleId,
    );
  }

  #change(
    tenantId: number,
    attempt: Attempt,
    work: (tx: Prisma.TransactionClient) => Promise<void>,
    subject?: string,
  ): Promise<void> {
    return guarded(() =>
      ofTenants(this.prisma, [tenantId], async (tx) => {
        // Whoever changes rules of a tenant waits here for who else does.
        await tx.$executeRawUnsafe(
          `INSERT INTO detection_position AS p (tenant_id, position, learned, learn_until, revision)
           SELECT t.tenant_id, 0, 0, 0, 1 FROM tenant t WHERE t.tenant_id = $1::int
           ON CONFLICT (tenant_id) DO UPDATE SET revision = p.revision + 1`,
          tenantId,
        );
        await work(tx);
        const about = { tenantIds: [tenantId], ...(subject !== undefined && { subject }) };
        await insertEntries(tx, [changeOf(attempt, about)]);
      }),
    );
  }

  async #put(tx: Prisma.TransactionClient, tenantId: number, row: RuleRow): Promise<void> {
    const { ruleId, source, enabled, tuning, version } = row;
    const at = new Date(this.nowMs());
    const digest = digestOf(source ?? this.shipped.get(ruleId)?.source ?? '', tuning);
    const data = { source, enabled, tuning, version, digest, updatedAt: at };
    const { count } = await tx.detectionRule.updateMany({ where: { tenantId, ruleId }, data });
    if (count === 0) await tx.detectionRule.create({ data: { tenantId, ruleId, ...data, createdAt: at } });
  }

  /** Empty: this release does not take the rule. */
  async #answer(tenantId: number, ruleId: string, row: RuleRow | undefined): Promise<RuleAnswer[]> {
    const source = row?.source ?? this.shipped.get(ruleId)?.source ?? '';
    const about = await this.#about(source, ruleId, row?.tuning ?? null);
    if (!about) return [];
    const { title, severity, description, why, falsePositives, tags } = about;
    const answer = {
      ...{
        ruleId,
        tenantId: String(tenantId),
        title,
        severity,
        description,
        why,
        falsePositives,
        tags,
        source,
      },
      ...{ enabled: row?.enabled ?? true, shipped: this.shipped.has(ruleId) },
      ...{ version: row?.version ?? 1, tuning: row?.tuning ?? null },
    };
    return [answer];
  }

  /** What a file says of a rule: parsed once, others having their turn in between. Null: it is not taken. */
  async #about(
    source: string,
    ruleId: string,
    tuning: string | null,
  ): Promise<(RuleAbout & { readonly cost: number }) | null> {
    const key = `${ruleId}/${digestOf(source, tuning)}`;
    const known = this.#abouts.get(key);
    if (known) return known.about;
    const rule = ruleOf(source, ruleId, tuningOf(tuning));
    const about = rule && aboutOf(rule);
    this.#abouts.set(key, { about }, { size: key.length + source.length });
    await turnOfOthers();
    return about;
  }
}

const aboutOf = ({ ruleId, title, description, why, falsePositives, tags, severity, cost }: Rule) => ({
  ...{ ruleId, title, description, why, falsePositives, tags, severity, cost },
});

/** A rule of a file that this release takes. */
export function ruleOf(source: string, ruleId: string, tuning: Tuning | null): Rule | null {
  try {
    return parseRules(source, () => tuning).find((rule) => rule.ruleId === ruleId) ?? null;
  } catch {
    return null;
  }
}

/** @throws DomainError `invalid_parameter` that names lines and reasons */
export function rulesOf(source: string, ruleId?: string, tuning: Tuning | null = null): readonly Rule[] {
  try {
    return parseRules(source, (id) => (id === ruleId ? tuning : null));
  } catch (error) {
    if (!(error instanceof RuleRefused)) throw error;
    throw refused(
      `The rule is not taken. ${error.problems.map(({ line, reason }) => `Line ${line}: ${reason}.`).join(' ')}`,
    );
  }
}

const refused = (text: string) => new DomainError('invalid_parameter', { public: text });
const noSuchRule = () => new DomainError('not_found', { public: 'There is no such record.' });
