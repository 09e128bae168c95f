import { connect, type Socket } from 'node:net';
import { describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { type Attacked, useScene } from '../support/hostile/under-attack';
import { until } from '../support/until';
import { INGEST } from '../support/world';

const COUNT = 40;
const WAVES = 7;
/** So many that no attack meets the rate limit, which would end it early. */
const CALLS = 100_000;
/** 6.9 MB of text. */
const STATEMENT = 'SELECT 1;'.repeat(766_667);
const DETAILS = Array.from({ length: 5 }, (_, i) => `e${i}: auditEvent(recordId: $id) { statement }`).join(
  ' ',
);
const PAGE = { 'Content-Type': 'application/json', 'X-Dashboard': '1' };
const LIST = '/api/v1/public/audit-activity';

type Further = (signal: AbortSignal | null) => Promise<Response>;

describeOnPostgres('one key that asks for large answers and does not read them', () => {
  const at = useScene({}, CALLS);
  let recordId: string;
  beforeAll(async () => {
    const { service, hostile, url } = at.scene;
    const batch = { events: [anEvent({ statement: STATEMENT })] };
    await service.graphql(hostile.agentKey, INGEST, { batch });
    const list = await fetch(url + LIST, { headers: { 'X-Api-Key': hostile.key } });
    const { data } = (await list.json()) as { data: { recordId: string }[] };
    recordId = data[0]?.recordId ?? '';
  });

  const query = () =>
    JSON.stringify({ query: `query($id: String!) { ${DETAILS} }`, variables: { id: recordId } });
  const graphql = (url: string, headers: object, times = AHEAD) =>
    ask(url, 'POST /graphql', { ...headers, 'Content-Type': 'application/json' }, { body: query(), times });
  /**
   * Holds unread answers while the neighbour calls. @param further a call of the same key, which must get 503 in the
   * end
   */
  const hold = async ({ rounds }: Attacked, open: () => Socket, further: Further) => {
    const over = new AbortController();
    const sockets = Array.from({ length: COUNT }, open);
    await rounds(3);
    // Network buffers take over some answers, which leaves room for further ones. So the calls are repeated.
    const { headers } = await until(
      () => {
        sockets.push(open());
        return further(over.signal);
      },
      ({ status }) => status === 503,
    );
    expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    for (const socket of sockets) socket.destroy();
    // Answers that nobody reads hold room too.
    over.abort();
  };

  it('harms nobody over GraphQL with five details in each document', () =>
    at.underAttack((attacked) => {
      const { url, hostile } = attacked;
      const headers = { 'X-Api-Key': hostile.key };
      const init = {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: query(),
      };
      return hold(
        attacked,
        () => graphql(url, headers),
        (signal) => fetch(`${url}/graphql`, { ...init, signal }),
      );
    }));

  it('harms nobody when it leaves before its answers come, again and again', () =>
    at.underAttack(async ({ url, hostile, rounds }) => {
      const headers = { 'X-Api-Key': hostile.key };
      for (let wave = 0; wave < WAVES; wave++) {
        const sockets = Array.from({ length: COUNT }, () => graphql(url, headers, 1));
        // By then the service has begun with the calls before.
        await fetch(`${url}${LIST}?pageSize=1`, { headers }).then((answer) => answer.text());
        for (const socket of sockets) socket.destroy();
      }
      await rounds(2);
    }));

  it('harms nobody over a session of the dashboard', () =>
    at.underAttack(async (attacked) => {
      const { url, hostile } = attacked;
      const body = JSON.stringify({ key: hostile.key });
      const signedIn = await fetch(`${url}/dashboard/api/sign-in`, { method: 'POST', headers: PAGE, body });
      const Cookie = signedIn.headers.get('Set-Cookie')?.split(';', 1)[0] ?? '';
      await hold(
        attacked,
        () => graphql(url, { ...PAGE, Cookie }),
        (signal) =>
          fetch(`${url}/graphql`, { method: 'POST', headers: { ...PAGE, Cookie }, body: query(), signal }),
      );
    }));

  it('harms nobody over REST, and is answered again once its connections are gone', () =>
    at.underAttack(async (attacked) => {
      const { url, hostile } = attacked;
      const headers = { 'X-Api-Key': hostile.key };
      const detail: Further = (signal) => fetch(`${url}${LIST}/${recordId}`, { headers, signal });
      await hold(attacked, () => ask(url, `GET ${LIST}/${recordId}`, headers), detail);
      const answer = await until(
        () => detail(null),
        ({ status }) => status === 200,
      );
      const { data } = (await answer.json()) as { data: { statement: string } };
      expect(data.statement).toBe(STATEMENT);
    }));
});

/** So many that their answers, 48 MB or more, are too much for the buffers of a connection: today's Linux takes 37 MB. */
const AHEAD = 7;

/** Sends a request several times ahead, whose answers nobody reads. */
function ask(url: string, what: string, headers: object, { body = '', times = AHEAD } = {}): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const lines = Object.entries({ Host: 'x', 'Content-Length': Buffer.byteLength(body), ...headers });
  const head = `${what} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`;
  socket.write(`${head}\r\n${body}`.repeat(times));
  return socket;
}
