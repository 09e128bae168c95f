import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { recordIdFloor } from '../../src/event/record-id';
import { writeFindings } from '../../src/modules/detection/detector/write-findings';
import type { Finding } from '../../src/rules/finding';
import { SEVERITIES } from '../../src/rules/rule';
import { ANY_ENGINE } from '../support/engines';
import { casesOf, SEED } from '../support/share';
import { Store } from '../support/store';

const START_US = Date.parse('2026-01-05T00:00:00Z') * 1_000;
const MINUTE_US = 60_000_000;
const WITHIN_MINUTES = 120;

const given = fc.array(
  fc.record({
    minute: fc.oneof(fc.nat(200), fc.nat(2_000)),
    lasts: fc.oneof(fc.constant(0), fc.nat(90)),
    logins: fc.uniqueArray(fc.constantFrom('eve', 'EVE', 'sa', 'dba', 'app', 'svc'), {
      minLength: 1,
      maxLength: 2,
    }),
    severity: fc.constantFrom(...SEVERITIES),
  }),
  { minLength: 2, maxLength: 12 },
);
type Given = typeof given extends fc.Arbitrary<(infer T)[]> ? T : never;
/** How an order of findings arrives: in steps of these sizes, some of which are lost once, and some come twice. */
const steps = fc.array(
  fc.record({ size: fc.integer({ min: 1, max: 4 }), isLost: fc.boolean(), isTwice: fc.boolean() }),
  { minLength: 12, maxLength: 12 },
);
type Step = typeof steps extends fc.Arbitrary<(infer T)[]> ? T : never;

const idOf = (n: number): string => {
  const hex = createHash('sha256').update(`finding ${n}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
const findingOf = ({ minute, lasts, logins, severity }: Given, n: number): Finding => {
  const firstAt = START_US + minute * MINUTE_US + n;
  const lastAt = firstAt + lasts * MINUTE_US;
  return {
    findingId: idOf(n),
    ruleId: '638edcb2-98cc-48ad-a5fb-fc4fedb65f74',
    ruleVersion: 1,
    title: `Story ${n}`,
    severity,
    group: { objectName: `t${n}` },
    groupKey: `t${n}`,
    dedupMinutes: 60,
    firstAt,
    lastAt,
    eventCount: 2,
    recordIds: [firstAt, lastAt].map((us) => recordIdFloor(BigInt(us) * 10n)),
    principals: logins,
    instances: [],
  };
};

/** The incidents by their definition: what shares a login within the time, and what shares one with that, and so on. */
function wantedOf(findings: readonly Finding[]): string[][] {
  const left = new Set(findings);
  const all: string[][] = [];
  const loginsOf = ({ principals }: Finding) => principals.map((name) => name.toLowerCase());
  const within = WITHIN_MINUTES * MINUTE_US;
  for (const first of findings) {
    if (!left.delete(first)) continue;
    const group = [first];
    for (const one of group)
      for (const other of left) {
        const isShared = loginsOf(one).some((name) => loginsOf(other).includes(name));
        const isNear = one.firstAt <= other.lastAt + within && other.firstAt <= one.lastAt + within;
        if (isShared && isNear) group.push(other);
        if (isShared && isNear) left.delete(other);
      }
    all.push(group.map(({ title }) => title).sort());
  }
  return all.sort();
}

describe('incidents of findings', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterAll(() => store.close());

  /** @returns the incidents in the order in which they began */
  async function formed(findings: readonly Finding[], how: readonly Step[]) {
    const { tenantId, database } = await store.forNewTenant();
    const { models } = database.owner;
    const write = (some: readonly Finding[], isLost: boolean) =>
      models.$transaction(async (tx) => {
        await writeFindings(tx, tenantId, some, START_US / 1_000);
        if (isLost) throw new Error('killed');
      });
    const left = [...findings];
    for (let n = 0; left.length > 0; n++) {
      const { size, isLost, isTwice } = how[n % how.length] as Step;
      const step = left.splice(0, size);
      if (isLost) await expect(write(step, true)).rejects.toThrow('killed');
      await write(step, false);
      if (isTwice) await write(step, false);
    }
    const [incidents, alerts] = await Promise.all([
      models.incident.findMany({ where: { tenantId }, orderBy: { number: 'asc' } }),
      models.alert.findMany({ where: { tenantId }, orderBy: { title: 'asc' } }),
    ]);
    expect(new Set(alerts.map(({ incidentId }) => incidentId))).toEqual(
      new Set(incidents.map(({ incidentId }) => incidentId)),
    );
    return incidents.map(({ incidentId, title, severity, firstEvent, lastEvent, alertCount, eventCount }) => {
      const own = alerts.filter((one) => one.incidentId === incidentId);
      expect(severity).toBe(Math.max(...own.map((one) => one.severity)));
      expect(firstEvent).toBe(own.map((one) => one.firstEvent).sort(bySize)[0]);
      expect(lastEvent).toBe(
        own
          .map((one) => one.lastEvent)
          .sort(bySize)
          .at(-1),
      );
      expect([alertCount, eventCount]).toEqual([own.length, BigInt(2 * own.length)]);
      return { title, members: own.map((one) => one.title).sort() };
    });
  }

  it('are the same after steps that were lost, and hold the same alerts in any order of arrival', async () => {
    let [joined, apart] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        given.chain((all) =>
          fc.tuple(
            fc.constant(all.map(findingOf)),
            fc.shuffledSubarray(all.map(findingOf), { minLength: all.length }),
            steps,
          ),
        ),
        async ([findings, shuffled, how]) => {
          const wanted = wantedOf(findings);
          const one = [{ size: 1, isLost: false, isTwice: false }];
          const plain = await formed(findings, one);
          expect(plain.map(({ members }) => members).sort()).toEqual(wanted);
          expect(await formed(findings, how)).toEqual(plain);
          const other = await formed(shuffled, how);
          expect(other.map(({ members }) => members).sort()).toEqual(wanted);
          if (wanted.length > 1) apart += 1;
          if (wanted.length < findings.length) joined += 1;
        },
      ),
      { seed: SEED, numRuns: casesOf(__filename) },
    );
    expect(Math.min(joined, apart)).toBeGreaterThan(0);
  });
});

const bySize = (a: bigint, b: bigint) => (a < b ? -1 : 1);
