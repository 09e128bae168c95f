import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { ONE_ENGINE, REDIS_URL } from '../support/engines';
import { useWorld } from '../support/use-world';

const ROOT = path.resolve(__dirname, '../..');
const FILES_MAX = 28;
/** A background task may run during one request, but not during each of this many requests. */
const REQUESTS_MAX = 1_000;

/** Generated code is left out, since nobody reads it. */
const isOurs = (file: string) => /^(?:src|rest-facade)\//.test(file) && !file.startsWith('src/generated/');
type Ran = Profiler.FunctionCoverage;
/** The compiler turns each export into a getter; reading a constant through it is no step of the request. */
const isGetter = ({ functionName }: Ran) => functionName === 'get' || functionName.startsWith('get ');
/** A function without a body, such as `class {}` and `() => {}`, which has nothing to read. */
const isEmpty = ({ ranges: [whole] }: Ran) =>
  (whole?.endOffset ?? 0) - (whole?.startOffset ?? 0) <= 'class {\n}'.length;
const hasRun = ({ ranges }: Ran) => ranges.some(({ count }) => count > 0);

/** The files of the project in which a function ran since the last call, by the call counts of V8. */
async function ranSince(session: Session): Promise<ReadonlySet<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.filter(({ functions }) =>
    functions.some((one) => hasRun(one) && !isGetter(one) && !isEmpty(one)),
  );
  const files = ran.map(({ url }) => path.relative(ROOT, url.replace('file://', '')));
  return new Set(files.filter(isOurs));
}

describe.each(ONE_ENGINE)('a list request on %s', (engine) => {
  const at = useWorld(engine, { redisUrl: REDIS_URL });
  const session = new Session();

  beforeAll(async () => {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  });
  afterAll(() => session.disconnect());

  it(`runs functions of at most ${FILES_MAX} files from HTTP to SQL and back`, async () => {
    const acme = await at.world.tenant();
    for (const second of [10, 20, 30])
      await acme.audited({ eventTime: `2026-11-19T23:59:${second}.1234567Z` });
    const walk = async () => {
      await ranSince(session);
      const headers = { 'X-Api-Key': acme.key };
      expect((await at.world.fetch('/api/v1/public/audit-activity', { headers })).status).toBe(200);
      return ranSince(session);
    };
    // The first request looks the key up; later requests find it in the cache.
    await walk();
    let walked = [...(await walk())];
    for (let n = 2; walked.length > FILES_MAX && n < REQUESTS_MAX; n++) {
      const again = await walk();
      walked = walked.filter((file) => again.has(file));
    }
    expect(walked).toEqual(expect.arrayContaining(['rest-facade/app.ts', 'src/store/rows/event-rows.ts']));
    const tooMany = walked.length > FILES_MAX ? `${walked.length} files: ${walked.sort().join(' ')}` : '';
    expect(tooMany).toBe('');
  });
});
