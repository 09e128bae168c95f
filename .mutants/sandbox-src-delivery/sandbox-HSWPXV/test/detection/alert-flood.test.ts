import { randomUUID } from 'node:crypto';
import type { Prisma } from '../../src/database/clients';
import type { Finding } from '../../src/detection/finding';
import { recordIdFloor } from '../../src/event/record-id';
import { writeFindings } from '../../src/modules/detection/write-findings';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';

const COUNT = 200;
const STATEMENTS_MAX = 12;
const AT_US = Date.parse('2026-01-05T08:00:00Z') * 1_000;

describe.each(ENGINES)('a step that makes findings for every login, on %s', (engine) => {
  it('writes its alerts with few statements, because alerts of other tenants wait for it', async () => {
    const store = await Store.open(engine);
    const ruleId = randomUUID();
    const finding = (n: number, round: number): Finding => ({
      ...{ findingId: randomUUID(), ruleId, ruleVersion: 1, title: 'Everything', severity: 'low' },
      ...{ group: { serverPrincipalName: `p${n}` }, groupKey: `p${n}`, dedupMinutes: 60 },
      ...{ firstAt: AT_US + round, lastAt: AT_US + round, eventCount: 1 },
      ...{ recordIds: [recordIdFloor(BigInt(AT_US + round) * 10n)] },
      ...{ principals: [`p${n}`, `r${round}`], instances: [] },
    });
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
      const alerts = await store.database.background.$transaction((tx) =>
        writeFindings(counted(tx) as Prisma.TransactionClient, store.tenantId, findings, AT_US / 1_000),
      );
      return { alerts, statements };
    };
    for (const round of [0, 1]) {
      const { alerts, statements } = await write(Array.from({ length: COUNT }, (_, n) => finding(n, round)));
      expect(alerts.filter(({ isNew }) => isNew === (round === 0))).toHaveLength(COUNT);
      expect(statements).toBeLessThan(STATEMENTS_MAX);
    }
    const stored = await store.database.background.alert.findMany({ where: { tenantId: store.tenantId } });
    expect(stored).toHaveLength(COUNT);
    for (const alert of stored) {
      expect(alert).toMatchObject({ findingCount: 2, eventCount: 2n, status: 'new', instances: [] });
      expect([...alert.principals].sort()).toEqual([expect.any(String), 'r0', 'r1']);
      expect(alert.lastEvent - alert.firstEvent).toBe(10n);
    }
    await store.close();
  });
});
