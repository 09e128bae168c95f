import fc from 'fast-check';
import { newKey } from '../../src/caller/key-format';
import { ANY_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { expectDocumented } from '../support/fuzz/answers';
import { hostileText } from '../support/fuzz/hostile';
import { type FuzzRequest, forEach, KeepAlive } from '../support/fuzz/keep-alive';
import { checkAgainstDocument } from '../support/openapi-check';
import { casesOf, SEED } from '../support/share';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';

const REQUESTS = casesOf(__filename);
jest.setTimeout(300_000);

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: {
    readonly type?: string;
    readonly enum?: string[];
    readonly format?: string;
    readonly minimum?: number;
    readonly maximum?: number;
  };
}

/** A value that the document permits, as far as its schema can tell. */
function sound(
  { type, enum: choices, format, minimum = 0, maximum = 100 }: Parameter['schema'],
  ids: readonly string[],
): fc.Arbitrary<string> {
  if (choices) return fc.constantFrom(...choices);
  if (type === 'integer') return fc.integer({ min: minimum, max: Math.min(maximum, 1_000) }).map(String);
  if (format === 'uuid') return fc.oneof(fc.uuid(), fc.constantFrom(...ids));
  return fc.constantFrom(
    'SL',
    'Payroll',
    'alice',
    'salary update',
    'emp*',
    '"dbo Employees"',
    '2026-01-05',
    '2026-01-05T08:00:00Z',
  );
}

const encode = (text: string) => encodeURIComponent(text.toWellFormed()).replace(/'/g, '%27');

describe('any request to a route of the OpenAPI document', () => {
  const at = useWorld(ANY_ENGINE);

  it('is answered as the document says, and never with a server error', async () => {
    const { world } = at;
    const acme = await world.tenant();
    await acme.ingest(Array.from({ length: 50 }, () => anEvent()));
    const { body: page } = await acme.get('/audit-activity');
    const ids: string[] = page.data.map(({ recordId }: { recordId: string }) => recordId);
    const { body: document } = await world.fetch('/swagger');

    const key = fc.oneof(
      { weight: 200, arbitrary: fc.constant(acme.key) },
      { weight: 10, arbitrary: fc.constantFrom(acme.agentKey, world.operatorKey) },
      { weight: 2, arbitrary: fc.constantFrom('', 'secret', newKey('public')) },
    );
    const method = fc.oneof(
      { weight: 30, arbitrary: fc.constant('GET') },
      { weight: 1, arbitrary: fc.constantFrom('HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PURGE') },
    );
    const headers = fc.record(
      {
        'X-Request-Id': fc.stringMatching(/^[ -~]{1,150}$/),
        Accept: fc.constantFrom('*/*', 'text/html', 'x/y;q=2'),
        'Accept-Language': fc.constantFrom('de', 'x'.repeat(200)),
      },
      { requiredKeys: [] },
    );
    const requestOf = ([path, { get }]: [
      string,
      { get: { parameters: Parameter[] } },
    ]): fc.Arbitrary<FuzzRequest> => {
      const value = ({ name, schema }: Parameter) =>
        fc.oneof(
          // A longer wait would only delay the test: no event arrives meanwhile.
          { weight: 3, arbitrary: name === 'wait' ? fc.constantFrom('0', '1') : sound(schema, ids) },
          { weight: 1, arbitrary: hostileText },
        );
      const pairs = get.parameters
        .filter((parameter) => parameter.in === 'query')
        .map((parameter) => value(parameter).map((text) => `${parameter.name}=${encode(text)}`));
      const odd = fc.oneof(
        hostileText.map((name) => `${encode(name)}=1`),
        fc.constantFrom(
          'page[]=1',
          'page[a]=1',
          'page',
          '=',
          '&&',
          'search=%zz',
          'search=%00',
          'pageSize=1&pageSize=2',
          'a=b;c=d',
          '__proto__[x]=1',
        ),
      );
      const given = fc.tuple(
        ...pairs.map((pair) => fc.option(pair, { freq: 2, nil: null })),
        fc.option(odd, { freq: 4, nil: null }),
      );
      const inPath = fc.tuple(...get.parameters.filter((parameter) => parameter.in === 'path').map(value));
      return fc.record({ method, headers, key, given, inPath }).map((parts) => {
        const values = [...parts.inPath];
        const filled = path.replace(/\{\w+\}/g, () => encode(values.shift() ?? ''));
        const query = parts.given.filter((pair) => pair !== null).join('&');
        return {
          method: parts.method,
          path: filled + (query && `?${query}`),
          headers: { ...parts.headers, ...(parts.key && { 'X-Api-Key': parts.key }) },
        };
      });
    };
    // Every path of the document is asked.
    const paths = Object.entries(document.paths as Record<string, { get: { parameters: Parameter[] } }>);
    const requests = fc.sample(fc.oneof(...paths.map(requestOf)), { numRuns: REQUESTS, seed: SEED });

    const client = new KeepAlive(world.service.url);
    const statuses = new Map<number, number>();
    await forEach(requests, async (sent) => {
      // 16 calls of one key are under way, so one may get no turn. It is then answered as documented, and asked again.
      const answer = await until(
        () => client.send(sent),
        ({ status, text }) => status !== 503 || !text.includes('as many searches, counts or exports running'),
      );
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      expectDocumented(answer, sent.method);
      // A strange value can turn a path into another, which is no route of the document.
      const path = sent.path.split('?')[0] ?? '';
      if (answer.status !== 404) await checkAgainstDocument(world, path, sent.method, answer);
    });
    client.close();

    // The requests must also reach the code behind the checks, so the statuses must differ.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 405]));
    expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 50);
    expect((await world.fetch('/health')).text).toBe('Healthy');
    expect(world.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });
});
