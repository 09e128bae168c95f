import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { toAnswer } from '../../agent/uplink/answer';
import { LIMITS } from '../../src/limits';
import { open, parseAnswer } from '../http/support/raw';
import { describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { type Attacked, useScene } from '../support/hostile/under-attack';
import { INGEST } from '../support/world';

const request = (events: string) =>
  `{"query":${JSON.stringify(INGEST)},"variables":{"batch":{"events":[${events}]}}}`;
const post = async ({ url, hostile }: Pick<Attacked, 'url' | 'hostile'>, body: Uint8Array) => {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Content-Encoding': 'gzip',
      'X-Api-Key': hostile.agentKey,
    },
    body,
  });
  return {
    status: response.status,
    retryAfter: response.headers.get('Retry-After'),
    body: await response.text(),
  };
};
/** Sends the same body, `atOnce` at a time, until the attack is over. @returns the answers */
async function flood(attacked: Attacked, body: Uint8Array, atOnce: number) {
  const answers: Awaited<ReturnType<typeof post>>[] = [];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (!attacked.signal.aborted) answers.push(await post(attacked, body));
    }),
  );
  return answers;
}

describeOnPostgres('an agent that sends what nobody should', () => {
  const at = useScene();
  /** Long enough for several rounds of the neighbour. */
  const brief = { seconds: 4 };
  const SOUND = JSON.stringify(anEvent());

  it('does no harm with events of 220 unknown fields each in a small body, and can read the answer', async () => {
    const fields = Array.from({ length: 220 }, (_, i) => `"${i.toString(36)}":0`).join();
    const events = LIMITS.ingestBatchEventsMax;
    const body = gzipSync(request(Array(events).fill(`{${fields}}`).join()), { level: 9 });
    expect(body.length).toBeLessThan(100_000);
    await at.underAttack(async (attacked) => {
      const answers = await flood(attacked, body, 6);
      const receipts = answers.filter(({ status }) => status === 200);
      expect(receipts.length).toBeGreaterThan(0);
      for (const { body: text } of receipts) expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
      const [first] = receipts;
      const answer = toAnswer({ status: 200, retryAfter: null, body: first?.body ?? '' }, events, Date.now());
      expect(answer).toMatchObject({ kind: 'receipt', accepted: 0 });
      const { rejectedEventsMax } = LIMITS;
      expect(answer).toMatchObject({ rest: rejectedEventsMax });
      if (answer.kind === 'receipt') expect(answer.rejected).toHaveLength(rejectedEventsMax);
    }, brief);
  });

  it('does no harm with statements of a million short words, and a filter for a hundred phrases in them', async () => {
    const statement = 'é b '.repeat(1_000_000);
    const body = gzipSync(request(JSON.stringify(anEvent({ statement }))));
    const filter = Array.from({ length: 100 }, (_, i) => `statement:"é ${i}"`).join(' OR ');
    const tail = `/api/v1/public/audit-activity/tail?${new URLSearchParams({ from: 'beginning', filter })}`;
    await at.underAttack(async (attacked) => {
      const { url, hostile } = attacked;
      expect(JSON.parse((await post(attacked, body)).body).data.ingestAuditEvents.accepted).toBe(1);
      const read = () => fetch(url + tail, { headers: { 'X-Api-Key': hostile.key } });
      const answers = await Promise.all(Array.from({ length: 12 }, read));
      const statuses = new Set(answers.map(({ status }) => status));
      expect([...statuses].filter((status) => status !== 503)).toEqual([200]);
    }, brief);
  });

  it('does no harm with bodies of deep nesting, many objects or many names', async () => {
    const nested = `${'{"a":'.repeat(1_300_000)}0${'}'.repeat(1_300_000)}`;
    const names = Array.from({ length: 800_000 }, (_, i) => `"${i.toString(36)}":0`);
    const perEvent = names.length / LIMITS.ingestBatchEventsMax;
    const events = Array.from(
      { length: LIMITS.ingestBatchEventsMax },
      (_, i) => `{${names.slice(i * perEvent, (i + 1) * perEvent).join()}}`,
    );
    const bodies = [
      `{"variables":${nested}}`,
      request(`${SOUND},{"additional":${nested}}`),
      request(`${SOUND},${'{},'.repeat(2_500_000)}0`),
      request(events.join()),
      request(`{${names.join()}}`),
    ].map((text) => gzipSync(text));
    expect(bodies[0]?.length).toBeLessThan(20_000);
    await at.underAttack(async (attacked) => {
      while (!attacked.signal.aborted) await Promise.all(bodies.map((body) => post(attacked, body)));
    }, brief);
  });

  it('delays no other sender with slow bodies, which get 408', async () => {
    const SLOW = 40;
    const head =
      'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 8000000\r\n';
    await at.underAttack(async ({ url, hostile, rounds }) => {
      const uploads = Array.from({ length: SLOW }, () => open(url));
      for (const { socket } of uploads) {
        await once(socket, 'connect');
        socket.write(`${head}X-Api-Key: ${hostile.agentKey}\r\n\r\n{"query":"`);
      }
      await rounds(3);
      const answers = await Promise.all(uploads.map(({ ended }) => ended));
      for (const answer of answers) {
        const { status, text } = parseAnswer(answer);
        expect([status, JSON.parse(text).errors[0].extensions.code]).toEqual([408, 'request_timeout']);
      }
    });
  });

  it('does no harm with many of the largest bodies at once, of which some get 503 and Retry-After', async () => {
    const body = gzipSync(request(`{"x":"${'x'.repeat(LIMITS.ingestBodyBytesMax - 10_000)}"}`));
    await at.underAttack(async (attacked) => {
      const answers = await flood(attacked, body, 30);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.length).toBeGreaterThan(0);
      for (const { status, retryAfter } of refused) expect([status, retryAfter]).toEqual([503, '1']);
    }, brief);
  });
});
