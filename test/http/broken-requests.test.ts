import { LIMITS } from '../../src/limits';
import { ANY_ENGINE } from '../support/engines';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import { open, parseAnswer, type RawAnswer, send } from './support/raw';

/** Fails unless the answer is the documented error. The server gives it before any entrance sees the request. */
function expectRefusal(answer: RawAnswer, status: number, code: string) {
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text)).toEqual({
    error: { code, message: expect.stringMatching(/\S/), requestId: answer.headers['x-request-id'] },
  });
  expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
}
const GET = 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';

describe('a malformed request', () => {
  const at = useWorld(ANY_ENGINE);
  const url = () => at.world.service.url;
  afterEach(async () => {
    expect(await send(url(), `${GET}\r\n`)).toMatchObject({ status: 200, text: 'Healthy' });
  });

  it.each([
    ['no HTTP', 'EHLO mail\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a header without a name', `${GET}: x\r\n\r\n`],
    ['a line feed in a header', `${GET}X-A: b\nc d\r\n\r\n`],
    ['two lengths', `${GET}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    [
      'a length and chunks, which proxies read differently',
      `${GET}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a length below 0', `${GET}Content-Length: -1\r\n\r\n`],
    ['a method that does not exist', 'BREW /health HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('gets 400: %s', async (_, text) => {
    expectRefusal(await send(url(), text), 400, 'invalid_parameter');
  });

  it('gets 400 without a Host header', async () => {
    expectRefusal(
      await send(url(), 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'),
      400,
      'invalid_parameter',
    );
  });

  it.each([
    ['one long header', () => `${GET}X-A: ${'x'.repeat(LIMITS.requestHeadBytesMax)}\r\n\r\n`],
    ['many headers', () => `${GET}${'X-A: b\r\n'.repeat(LIMITS.requestHeadBytesMax / 4)}\r\n`],
    ['a URL without end', () => `GET /${'x'.repeat(LIMITS.requestHeadBytesMax)}`],
  ])('gets 431 if its head is too large: %s', async (_, text) => {
    expectRefusal(await send(url(), text()), 431, 'headers_too_large');
  });

  it('gets 414 if its URL is longer than a URL with every parameter at its longest', async () => {
    const { key } = await at.world.tenant();
    const longest = '€'.repeat(LIMITS.filterCharsMax);
    const query = {
      search: `"${'€'.repeat(LIMITS.searchCharsMax - 2)}"`,
      actionId: longest,
      databaseName: longest,
      principalName: longest,
    };
    expect((await at.world.get('/audit-activity', key, { query })).status).toBe(200);
    const filter = `"${'€'.repeat(LIMITS.expressionCharsMax - 2)}"`;
    for (const path of ['/audit-activity', '/audit-activity/summary', '/audit-activity/export'])
      expect([path, (await at.world.get(path, key, { query: { filter } })).status]).toEqual([path, 200]);
    const tooLong = await at.world.get('/audit-activity', key, { query: { filter: `${filter}€` } });
    expect([tooLong.status, tooLong.body.error.code]).toEqual([400, 'invalid_parameter']);
    const answer = await at.world.get('/audit-activity', key, {
      query: { search: 'x'.repeat(LIMITS.urlBytesMax) },
    });
    expect([answer.status, answer.body.error.code]).toEqual([414, 'uri_too_long']);
    const graphql = await at.world.fetch(`/graphql?${'x'.repeat(LIMITS.urlBytesMax)}`, { method: 'POST' });
    expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([414, 'uri_too_long']);
  });

  it('with an unknown Expect header is answered like any other', async () => {
    expect(await send(url(), `${GET}Expect: the-inquisition\r\n\r\n`)).toMatchObject({ status: 200 });
  });

  it('does not change the answer to an earlier request of the same connection', async () => {
    const { socket, ended } = open(url());
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n');
    const all = await ended;
    expect(all.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(parseAnswer(all.slice(all.indexOf('HTTP/1.1 400'))).text).toContain('invalid_parameter');
  });

  it('makes one line in the log, without its content', async () => {
    const before = at.world.logLines.length;
    await send(url(), `geheim-${'x'.repeat(20)}\r\n\r\n`);
    const lines = await until(
      () => at.world.logLines.slice(before).filter((line) => line.includes('"refused"')),
      ({ length }) => length > 0,
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('geheim');
  });
});
