import { randomUUID } from 'node:crypto';
import type { Prisma } from '../../src/database/clients';
import { recordIdFloor } from '../../src/event/record-id';
import { writeFindings } from '../../src/modules/detection/detector/write-findings';
import type { Finding } from '../../src/rules/finding';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';

const COUNT = 200;
const STATEMENTS_MAX = 16;
const AT_US = Date.parse('2026-01-05T08:00:00Z') * 1_000;

describe.each(ENGINES)('findings of a step, on %s', (engine) => {
  let store: Store;
  let ruleId: string;
  beforeAll(async () => {
    store = await Store.open(engine);
  });
  beforeEach(() => {
    ruleId = randomUUID();
  });
  afterAll(() => store.close());

  const finding = (n: number, round: number): Finding => ({
    findingId: randomUUID(),
    ruleId,
    ruleVersion: 1,
    title: 'Everything',
    severity: 'low',
    group: { serverPrincipalName: `p${n}` },
    groupKey: `p${n}`,
    dedupMinutes: 60,
    firstAt: AT_US + round,
    lastAt: AT_US + round,
    eventCount: 1,
    recordIds: [recordIdFloor(BigInt(AT_US + round) * 10n)],
    principals: [`p${n}`, `r${round}`],
    instances: [],
  });
  const written = () =>
    store.database.owner.models.alert.findMany({ where: { tenantId: store.tenantId, ruleId } });

  it('are written with few statements, because alerts of other tenants wait for them', async () => {
    const write = async (findings: readonly Finding[]) => {
      let statements = 0;
      const counted = (of: object): object =>
        new Proxy(of, {
          get: (target, name) => {
            const value = Reflect.get(target, name);
            if (typeof value === 'function') {
              return (...args: readonly unknown[]) => {
                statements += 1;
                return Reflect.apply(value, target, args);
              };
            }
            return value !== null && typeof value === 'object' ? counted(value) : value;
          },
        });
      const written = await store.database.owner.models.$transaction((tx) =>
        writeFindings(counted(tx) as Prisma.TransactionClient, store.tenantId, findings, AT_US / 1_000),
      );
      return { ...written, statements };
    };
    for (const round of [0, 1]) {
      const { alerts, findings, statements } = await write(
        Array.from({ length: COUNT }, (_, n) => finding(n, round)),
      );
      expect(findings).toBe(COUNT);
      expect(alerts.filter(({ isNew }) => isNew === (round === 0))).toHaveLength(COUNT);
      expect(statements).toBeLessThan(STATEMENTS_MAX);
    }
    const stored = await written();
    expect(stored).toHaveLength(COUNT);
    for (const alert of stored) {
      expect(alert).toMatchObject({ findingCount: 2, eventCount: 2n, status: 'new', instances: [] });
      expect([...alert.principals].sort()).toEqual([expect.any(String), 'r0', 'r1']);
      expect(alert.lastEvent - alert.firstEvent).toBe(10n);
    }
  });

  const write = async (of: Finding, nowMs: number) => {
    const { alerts } = await store.database.owner.models.$transaction((tx) =>
      writeFindings(tx, store.tenantId, [of], nowMs),
    );
    return alerts;
  };

  it('join a suppressed alert until its suppression ends, and then begin a new one', async () => {
    const nowMs = AT_US / 1_000;
    const endMs = nowMs + 10_000;
    const [first] = await write(finding(1, 0), nowMs);
    const suppressed = { status: 'suppressed', suppressedUntil: new Date(endMs) };
    await store.database.owner.models.alert.updateMany({
      where: { tenantId: store.tenantId, ruleId },
      data: suppressed,
    });
    expect(await write(finding(1, 1), endMs - 1)).toMatchObject([{ alertId: first?.alertId, isNew: false }]);
    const [second] = await write(finding(1, 2), endMs);
    expect(second).toMatchObject({ isNew: true, status: 'new' });
    // The new alert takes the later ones.
    expect(await write(finding(1, 3), endMs + 1)).toMatchObject([{ alertId: second?.alertId, isNew: false }]);
    expect((await written()).map(({ status, findingCount }) => [status, findingCount]).sort()).toEqual([
      ['new', 2],
      ['suppressed', 2],
    ]);
  });

  it('join the alert of their period whose beginning is nearest, and begin another where its period has passed', async () => {
    const minute = 60e6;
    const at = async (round: number) => (await write(finding(1, round), AT_US / 1_000))[0];
    const first = await at(0);
    expect(await at(60 * minute - 1)).toMatchObject({ alertId: first?.alertId, isNew: false });
    const second = await at(60 * minute);
    expect(second).toMatchObject({ isNew: true });
    expect(await at(31 * minute)).toMatchObject({ alertId: second?.alertId });
    expect(await at(29 * minute)).toMatchObject({ alertId: first?.alertId });
    // Late findings join too.
    expect(await at(-59 * minute)).toMatchObject({ alertId: first?.alertId });
    expect(await at(-60 * minute)).toMatchObject({ isNew: true });
  });

  it('change nothing when they are written again', async () => {
    const once = finding(1, 0);
    await write(once, AT_US / 1_000);
    expect(await write(once, AT_US / 1_000)).toEqual([]);
    expect(await written()).toMatchObject([{ findingCount: 1 }]);
  });
});
