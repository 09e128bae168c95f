import { randomUUID } from 'node:crypto';
import { EXCEPTIONS_MAX } from '../../src/modules/detection/base/parameters';
import { RuleStore } from '../../src/modules/detection/rules/rule.store';
import { RuleAbouts } from '../../src/modules/detection/rules/rule-abouts';
import { refuseHiddenTuning, toTuning } from '../../src/modules/detection/rules/tuning';
import { AN_ATTEMPT } from '../support/attempt';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';

const NOW_MS = Date.parse('2026-02-03T04:05:06.007Z');
const NOBODY = { masks: false };

/** A rule that counts. @param action of the events that it counts */
const ruleOf = (ruleId: string, action = 'SL') => `title: Base
name: base
logsource: {product: sqlserver}
detection: {s: {actionId: ${action}}, condition: s}
---
title: Often ${action}
id: ${ruleId}
level: medium
correlation:
  type: event_count
  rules: [base]
  group-by: [serverPrincipalName]
  timespan: 10m
  condition: {gte: 2}
`;

describe("a tenant's own rules", () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterAll(() => store.close());

  async function aTenant() {
    const { tenantId, database } = await store.forNewTenant();
    const { models } = database.owner;
    const rules = new RuleStore(database.service, new Map(), new RuleAbouts(), () => NOW_MS);
    const ruleId = randomUUID();
    return {
      ...{ tenantId, models, rules, ruleId },
      imported: async (action?: string) =>
        (await rules.import(tenantId, ruleOf(ruleId, action), AN_ATTEMPT, NOBODY))[0],
      except: (exception: Record<string, string>) =>
        rules.except(tenantId, ruleId, exception, AN_ATTEMPT, async () => {}),
    };
  }

  it('keep what the tenant decided of them when they are imported again, under the next version', async () => {
    const { tenantId, rules, ruleId, imported } = await aTenant();
    expect(await imported()).toMatchObject({ enabled: true, tuning: null, version: 1 });
    await rules.tune(tenantId, ruleId, { severity: 'low' }, AN_ATTEMPT);
    await rules.setEnabled(tenantId, ruleId, false, AN_ATTEMPT);
    expect(await imported('UP')).toMatchObject({
      ...{ title: 'Often UP', enabled: false, version: 3, tuning: JSON.stringify({ severity: 'low' }) },
    });
  });

  it('are not imported with what the tenant decided of them where it does not fit the file', async () => {
    const { tenantId, rules, ruleId } = await aTenant();
    const file = (type: string, condition: string) =>
      ruleOf(ruleId).replace('event_count', type).replace('{gte: 2}', condition);
    const imported = (type: string, condition: string) =>
      rules.import(tenantId, file(type, condition), AN_ATTEMPT, NOBODY);
    await imported('above', '{field: response_rows, gte: 2}');
    await rules.tune(tenantId, ruleId, { threshold: 20_000 }, AN_ATTEMPT);
    await expect(imported('event_count', '{gte: 2}')).rejects.toThrow(
      `The tenant's settings of the rule ${ruleId} do not fit the file: take them back first.`,
    );
    expect(await rules.find(tenantId, ruleId)).toMatchObject({ title: 'Often SL', version: 2 });
    await rules.tune(tenantId, ruleId, null, AN_ATTEMPT);
    expect(await imported('event_count', '{gte: 2}')).toMatchObject([{ tuning: null, version: 4 }]);
  });

  it('are looked at soon after each change, which engines notice by the revision', async () => {
    const { tenantId, models, rules, ruleId, imported } = await aTenant();
    await imported();
    const due = new Date(NOW_MS + 86_400_000);
    await models.detectionPosition.updateMany({ where: { tenantId }, data: { dueAt: due } });
    const before = await models.detectionPosition.findFirst({ where: { tenantId } });
    await rules.setEnabled(tenantId, ruleId, false, AN_ATTEMPT);
    expect(await models.detectionPosition.findFirst({ where: { tenantId } })).toMatchObject({
      ...{ dueAt: new Date(NOW_MS), revision: (before?.revision ?? 0) + 1 },
    });
  });

  it('have an exception once, in whatever order its values are given, beside their other settings', async () => {
    const { tenantId, rules, ruleId, imported, except } = await aTenant();
    await imported();
    await rules.tune(tenantId, ruleId, { severity: 'low', threshold: 7 }, AN_ATTEMPT);
    await except({ serverPrincipalName: 'svc', hostName: 'A' });
    await except({ serverPrincipalName: 'svc' });
    const { tuning } = await except({ hostName: 'A', serverPrincipalName: 'svc' });
    expect(JSON.parse(String(tuning))).toEqual({
      ...{ severity: 'low', threshold: 7 },
      exceptions: [{ serverPrincipalName: 'svc' }, { hostName: 'A', serverPrincipalName: 'svc' }],
    });
  });

  it('have as many exceptions as may be, and not one more', async () => {
    const { tenantId, rules, ruleId, imported, except } = await aTenant();
    await imported();
    const exceptions = Array.from({ length: EXCEPTIONS_MAX - 1 }, (_, i) => ({ hostName: `H${i}` }));
    await rules.tune(tenantId, ruleId, { exceptions }, AN_ATTEMPT);
    const { tuning } = await except({ hostName: 'last' });
    expect(JSON.parse(String(tuning)).exceptions).toHaveLength(EXCEPTIONS_MAX);
    await except({ hostName: 'last' });
    await expect(except({ hostName: 'more' })).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  it('are forgotten some time after they were removed, the oldest first', async () => {
    const { tenantId, models, rules, ruleId, imported } = await aTenant();
    await imported();
    const removed = Array.from({ length: 1_001 }, () => randomUUID());
    const at = (i: number) => new Date(NOW_MS - 2_000_000 + i * 1_000);
    await models.detectionRule.createMany({
      data: removed.map((id, i) => ({
        ...{ tenantId, ruleId: id, kind: 'removed', enabled: false, version: 5, digest: '' },
        ...{ createdAt: at(i), updatedAt: at(i) },
      })),
    });
    await rules.setEnabled(tenantId, ruleId, false, AN_ATTEMPT);
    const rows = await models.detectionRule.findMany({ where: { tenantId, kind: 'removed' } });
    expect(new Set(rows.map((row) => row.ruleId))).toEqual(new Set(removed.slice(1)));
  });

  it('are tested with the settings of the tenant, unless none or others are given', async () => {
    const { tenantId, rules, ruleId, imported } = await aTenant();
    await imported();
    await rules.tune(tenantId, ruleId, { threshold: 7 }, AN_ATTEMPT);
    const tuningOf = async (tuning?: { threshold: number } | null) =>
      (await rules.runnable(tenantId, ruleId.toUpperCase(), tuning)).tuning;
    expect(await tuningOf()).toEqual({ threshold: 7 });
    expect(await tuningOf(null)).toBeNull();
    expect(await tuningOf({ threshold: 9 })).toEqual({ threshold: 9 });
  });
});

describe('settings of a rule', () => {
  it('are stored in their units, and only those that are given', () => {
    expect(toTuning({ timespan: '11m', dedupMinutes: 5 } as never)).toEqual({
      ...{ timespanMs: 660_000, dedupMinutes: 5 },
    });
    expect(toTuning({ exceptions: [] } as never)).toBeNull();
    const exceptions = ['{"hostName":"A"}', '{"clientIp":"10.0.0.1"}'];
    expect(toTuning({ severity: 'low', exceptions } as never)).toEqual({
      ...{ severity: 'low', exceptions: [{ hostName: 'A' }, { clientIp: '10.0.0.1' }] },
    });
  });

  it('may not tell statements to who sees them without literals', () => {
    const refused = (masks: boolean, ...exceptions: Record<string, string>[]) => {
      try {
        refuseHiddenTuning({ exceptions }, 'exceptions', masks);
        return false;
      } catch {
        return true;
      }
    };
    expect(refused(true, { hostName: 'A', serverPrincipalName: 'b' })).toBe(false);
    for (const field of ['statement', 'additional.userDefinedInformation', 'calls']) {
      expect([field, refused(true, { hostName: 'A' }, { hostName: 'B', [field]: 'x' })]).toEqual([
        field,
        true,
      ]);
      expect(refused(false, { [field]: 'x' })).toBe(false);
    }
  });
});
