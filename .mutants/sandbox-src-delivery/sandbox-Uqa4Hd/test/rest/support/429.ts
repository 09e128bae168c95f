import { ONE_ENGINE } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import type { TestTenant } from '../../support/world';
import { expectError, newestRecord, type Operation } from './operations';

const LIMIT = 60;

export function refusesCallsOverTheLimit(operation: Operation): void {
  describe.each(ONE_ENGINE)(`429 of ${operation.title} on %s`, (engine) => {
    const at = useWorld(engine, { rateLimitPerMinute: LIMIT });
    let acme: TestTenant;
    let path: string;
    beforeAll(async () => {
      acme = await at.world.tenant();
      await acme.audited();
      path = operation.path(await newestRecord(acme));
    });
    const newKey = async (rate?: number) =>
      (await at.world.key({ tenantIds: [acme.tenantId], ...(rate ? { rate } : {}) })).key;
    const call = (key: string) => at.world.get(path, key);

    it('the 61st call of a minute, with the seconds to wait', async () => {
      const key = await newKey();
      const answers = [];
      // Ten at a time, because a slow machine would refuse some of 70 concurrent calls for other reasons.
      for (let i = 0; i < LIMIT + 10; i += 10)
        answers.push(...(await Promise.all(Array.from({ length: 10 }, () => call(key)))));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused).toHaveLength(10);
      for (const answer of refused) {
        expectError(answer, 429, 'rate_limited');
        const seconds = Number(answer.headers.get('Retry-After'));
        expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= LIMIT + 1).toBe(true);
      }
    });

    it("at the key's own limit, if it has one", async () => {
      const key = await newKey(3);
      const statuses = [];
      for (let i = 0; i < 5; i++) statuses.push((await call(key)).status);
      expect(statuses).toEqual([200, 200, 200, 429, 429]);
    });

    it('not for the calls of another key', async () => {
      const [spent, fresh] = [await newKey(1), await newKey(1)];
      await call(spent);
      expect((await call(spent)).status).toBe(429);
      expect((await call(fresh)).status).toBe(200);
    });

    it('with the calls left and the limit in headers, as on every counted answer', async () => {
      const key = await newKey(2);
      const answers = [await call(key), await call(key), await call(key)];
      expect(answers.map(({ headers }) => headers.get('RateLimit-Policy'))).toEqual(
        Array(3).fill('"key";q=2;w=60'),
      );
      const left = answers.map(({ headers }) =>
        /^"key";r=(\d+);t=(\d+)$/.exec(headers.get('RateLimit') ?? ''),
      );
      expect(left.map((match) => match?.[1])).toEqual(['1', '0', '0']);
      for (const match of left) {
        expect(Number(match?.[2])).toBeGreaterThan(50);
        expect(Number(match?.[2])).toBeLessThanOrEqual(60);
      }
    });
  });
}
