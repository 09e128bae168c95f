import type { Bench } from '../context';
import { ServerDay } from '../data/server-day';
import { type Figure, reported } from '../figure';
import { bodyOf, Sender } from '../load/sender';
import { familyMs, processMs, untilQuiet } from '../processes/processor-time';
import { createReadKey, createTenant, type Service, startService } from '../processes/service';
import { short } from '../report';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 2, 10);
/** More than the 14 days without which nothing is judged. */
const DAYS = 16;
const EVENTS_OF_DAY = 5_000;
const BATCH = 1_000;
const BUSIEST = 10;
const FILE = '11111111-2222-3333-4444-555555555555';
const USUAL = 'query($id: String!) { auditEventUsual(recordId: $id) { notes { kind text } } }';
const ANSWER_MS = { under: 100 } as const;

type Sent = Readonly<Record<string, unknown>> & { readonly eventTime: string };

/** "Who normally does this?" over HTTP, of deviations that are planted behind made days, and of the ten busiest pairs. */
export async function madeDays(bench: Bench): Promise<Figure[]> {
  const databases = await bench.databases();
  const url = databases.urlOf('made_days');
  await databases.create('made_days');
  const service = await startService(bench, url);
  const { tenantId, agentKey } = await createTenant(service, 'Made days');
  const key = await createReadKey(service, [tenantId]);
  const sender = new Sender(service.server.url, 1);
  try {
    const made = days();
    for (let at = 0; at < made.length; at += BATCH)
      await sender.send(agentKey, bodyOf(JSON.stringify(made.slice(at, at + BATCH))));
    const usual = busiestOf(made);
    const planted = plantedBehind(usual[0] as Sent, made.length);
    await sender.send(agentKey, bodyOf(JSON.stringify(planted)));
    await untilQuiet({
      server: () => processMs(service.server.pid),
      postgres: () => familyMs(bench.postgresPid),
    });
    const [times, named]: [number[], number[][]] = [[], []];
    for (let round = 0; round < bench.options.rounds; round++) {
      const found = [0, 0];
      for (const [i, events] of [planted, usual].entries())
        for (const event of events) {
          const recordId = await recordIdOf(service, key, event);
          const begun = performance.now();
          const kinds = await notesOf(service, key, recordId);
          times.push(performance.now() - begun);
          if (kinds.some((kind) => kind !== null)) (found[i] as number)++;
        }
      named.push(found);
      bench.say(`  named ${found[0]} of ${planted.length} planted, ${found[1]} of ${usual.length} usual`);
    }
    const [first = 0, ...later] = times;
    const note = `${made.length} events in ${DAYS} days; slowest of the later ones ${short(Math.max(...later))} ms`;
    const namedOf = (i: number) => named.map((found) => found[i] as number);
    return [
      reported('made-days', `planted events that are named, of ${planted.length}`, '', namedOf(0), { note }),
      reported('made-days', `busiest usual pairs that are named, of ${usual.length}`, '', namedOf(1), {
        note,
      }),
      reported('made-days', 'the first answer after a start', 'ms', [first], { note }),
      reported('made-days', 'every later answer', 'ms', later, { target: ANSWER_MS, note }),
    ];
  } finally {
    sender.close();
    await bench.untrack(service.server);
  }
}

/** All events as an agent sends them, in order. */
function days(): Sent[] {
  const sent: Sent[] = [];
  for (let day = DAYS - 1; day >= 0; day--)
    for (const { fields, additional } of new ServerDay(START_MS - day * DAY_MS, EVENTS_OF_DAY, day).all()) {
      const own = Object.entries(fields).map(([name, value]) => [name, value === '' ? null : value]);
      sent.push({ ...placed(sent.length), ...(Object.fromEntries(own) as Sent), additional });
    }
  return sent;
}

const placed = (place: number) => ({
  sourceType: 'DirectFile',
  file: 'Made.sqlaudit',
  fileGuid: FILE,
  blockOffset: 512 * (place + 1),
  index: 0,
  parts: 1,
});

/** The last events of the ten pairs of login and object that have most on the last day. */
function busiestOf(made: readonly Sent[]): Sent[] {
  const pairs = new Map<string, { n: number; last: Sent }>();
  const lastDay = new Date(START_MS).toISOString();
  for (const event of made) {
    if (event.eventTime < lastDay || !event.objectName) continue;
    const pair = `${event.serverPrincipalName} ${event.databaseName} ${event.objectName}`;
    pairs.set(pair, { n: (pairs.get(pair)?.n ?? 0) + 1, last: event });
  }
  const sorted = [...pairs.values()].sort((a, b) => b.n - a.n);
  return sorted.slice(0, BUSIEST).map(({ last }) => last);
}

/** An event as before, but for one value that it never had, at the end of the last day. */
const plantedBehind = (usual: Sent, place: number): Sent[] =>
  [
    { serverPrincipalName: 'stranger' },
    { clientIp: '172.31.9.9' },
    { applicationName: 'sqlcmd' },
    { databaseName: 'Forbidden', objectName: 'Salaries' },
    { objectName: 'NeverSeen' },
    { actionId: 'TRO' },
  ].map((change, i) => ({
    ...usual,
    ...placed(place + i),
    ...change,
    eventTime: new Date(START_MS + DAY_MS - 1_000 + i * 10).toISOString().replace('Z', '0000Z'),
  }));

async function recordIdOf({ server }: Service, key: string, event: Sent): Promise<string> {
  const fromMs = Date.parse(event.eventTime);
  const query = new URLSearchParams({
    startTime: new Date(fromMs).toISOString(),
    endTime: new Date(fromMs + 1).toISOString(),
    filter: `serverPrincipalName:${JSON.stringify(event.serverPrincipalName)}`,
  });
  const response = await fetch(`${server.url}/api/v1/public/audit-activity?${query}`, {
    headers: { 'X-Api-Key': key },
  });
  const { data } = (await response.json()) as { data: readonly { recordId: string }[] };
  const [found] = data;
  if (!found) throw new Error(`no event of ${event.serverPrincipalName} is at ${event.eventTime}`);
  return found.recordId;
}

async function notesOf({ server }: Service, key: string, id: string): Promise<readonly (string | null)[]> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Api-Key': key },
    body: JSON.stringify({ query: USUAL, variables: { id } }),
  });
  const { data } = (await response.json()) as {
    data: { auditEventUsual: { notes: readonly { kind: string | null }[] } };
  };
  return data.auditEventUsual.notes.map(({ kind }) => kind);
}
