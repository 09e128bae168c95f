import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { alternate } from '../alternate';
import type { Bench } from '../context';
import { Calendar } from '../data/calendar';
import { EventSource } from '../data/event-source';
import { compared, type Figure, reported } from '../figure';
import type { Datasets } from '../load/dataset';
import { bodyOf, Sender } from '../load/sender';
import { sequenced } from '../load/sequenced';
import { createReadKey, createTenant, type Service, startService } from '../processes/service';
import { short } from '../report';

const LIST = '/api/v1/public/audit-activity?pageSize=50';
/** One rule over five million events in three minutes. */
const BACKTEST_RATE = 5_000_000 / 180;
const BACKTEST_DAYS = 366;
const RULE = 'Brute force';
const READ_SECONDS = 10;
const PACE = 5_000;
const PACED_SECONDS = 20;
const BATCHES_A_SECOND = 2;
const FINDINGS = 100;
const FINDING_PAUSE_MS = 300;
const FINDING_MS = { under: 5_000 } as const;
const POLL_MS = 500;

/** The cost of rules for the service, and the delay of their findings. */
export async function watch(bench: Bench, datasets: Datasets): Promise<Figure[]> {
  const dataset = await datasets.of(bench.options.rows);
  const service = await startService(bench, dataset.url);
  const client = new Client({ connectionString: dataset.url });
  await client.connect();
  try {
    const tenantId = String(dataset.tenantIds[0]);
    const key = await createReadKey(service, [tenantId]);
    await sequenced(client, Number(tenantId));
    await lookedAt(client);
    return [
      ...(await backtests(bench, { service, tenantId, key })),
      ...(await beside(bench, { service, client, key })),
      await findings(service, client),
    ];
  } finally {
    await client.end();
    await bench.untrack(service.server);
  }
}

/** Events a second of one rule, and the loss of reads meanwhile. */
async function backtests(
  bench: Bench,
  { service, tenantId, key }: { service: Service; tenantId: string; key: string },
): Promise<Figure[]> {
  const { detectionRules } = await service.operate<{
    detectionRules: readonly { ruleId: string; title: string }[];
  }>('query($t: String!) { detectionRules(tenantId: $t) { ruleId title } }', { t: tenantId });
  const ruleId = detectionRules.find(({ title }) => title.startsWith(RULE))?.ruleId;
  const run = async () => {
    const begun = performance.now();
    const { testRule } = await service.operate<{ testRule: { backtestId: string } }>(
      'mutation($t: String!, $r: String!, $d: Int!) { testRule(tenantId: $t, ruleId: $r, days: $d) { backtestId } }',
      { t: tenantId, r: ruleId, d: BACKTEST_DAYS },
    );
    for (;;) {
      const { backtest } = await service.operate<{ backtest: { state: string; eventsRead: number } }>(
        'query($id: String!) { backtest(backtestId: $id) { state eventsRead } }',
        { id: testRule.backtestId },
      );
      if (backtest.state === 'failed') throw new Error('the backtest failed');
      if (backtest.state === 'done')
        return {
          events: backtest.eventsRead,
          rate: backtest.eventsRead / ((performance.now() - begun) / 1_000),
        };
      await sleep(POLL_MS);
    }
  };
  const rates: number[] = [];
  let events = 0;
  const { quiet, beside: busy } = await alternate(
    bench.options.rounds,
    {
      quiet: () => readsFor(service.server.url, key, () => false, READ_SECONDS),
      beside: async () => {
        let isOver = false;
        const running = run().then((done) => {
          rates.push(done.rate);
          events = done.events;
        });
        const over = running.finally(() => {
          isOver = true;
        });
        const reads = await readsFor(service.server.url, key, () => isOver, READ_SECONDS);
        await over;
        return reads;
      },
    },
    (_, round) =>
      bench.say(
        `  backtest ${short(rates.at(-1) ?? 0)} events/s; reads ${short(round.quiet)} without, ${short(round.beside)}/s with`,
      ),
  );
  const note = `"${RULE}", ${short(events)} events of one tenant`;
  return [
    reported(
      'watch',
      'backtest of one rule, time of 5,000,000 events',
      's',
      rates.map((rate) => 5e6 / rate),
      {
        target: { medianAtMost: 5e6 / BACKTEST_RATE },
        note,
      },
    ),
    compared(
      { bench: 'watch', name: 'reads beside a backtest', unit: '/s', target: { atLeast: 0.9 }, note: LIST },
      busy,
      { name: 'without', values: quiet },
    ),
  ];
}

/** Ingest at a pace, with reads, while rules look at what arrives; against the same where another holds their turn. */
async function beside(
  bench: Bench,
  { service, client, key }: { service: Service; client: Client; key: string },
): Promise<Figure[]> {
  const sender = new Sender(service.server.url, 2);
  const lags: number[] = [];
  const batchMs: Record<'with' | 'without', number[]> = { with: [], without: [] };
  let tenants = 0;
  const round = (name: 'with' | 'without') => async () => {
    tenants += 1;
    const { tenantId, agentKey } = await createTenant(service, `Watched ${tenants}`);
    // A turn is held for half a minute at most.
    const hold = () =>
      client.query(
        `INSERT INTO detection_position AS p (tenant_id, position, learned, learn_until, holder, held_until)
         VALUES ($1, 0, 0, 0, $2, now() + interval '30 seconds')
         ON CONFLICT (tenant_id) DO UPDATE SET held_until = excluded.held_until`,
        [tenantId, randomUUID()],
      );
    const holding = name === 'without' ? setInterval(() => void hold(), 10_000) : undefined;
    if (holding) await hold();
    const events = PACE * PACED_SECONDS;
    const source = new EventSource(tenants % 20, events, Calendar.denseFor(events));
    let isOver = false;
    const took: number[] = [];
    const pacing = (async () => {
      const begun = performance.now();
      for (let n = 0; n < source.batches; n++) {
        const all = JSON.parse(source.batch(n)) as unknown[];
        const size = PACE / BATCHES_A_SECOND;
        for (let from = 0; from < all.length; from += size) {
          const sent = n * all.length + from;
          await sleep(Math.max(0, begun + (sent / PACE) * 1_000 - performance.now()));
          const at = performance.now();
          await sender.send(agentKey, bodyOf(JSON.stringify(all.slice(from, from + size))));
          took.push(performance.now() - at);
        }
      }
    })().finally(() => {
      isOver = true;
      clearInterval(holding);
    });
    const reads = await readsFor(service.server.url, key, () => isOver, Number.POSITIVE_INFINITY);
    await pacing;
    batchMs[name].push(took.reduce((sum, ms) => sum + ms, 0) / took.length);
    if (name === 'with') {
      const at = performance.now();
      await lookedAt(client, tenantId);
      lags.push((performance.now() - at) / 1_000);
    } else
      await client.query(
        'UPDATE detection_position SET holder = NULL, held_until = NULL WHERE tenant_id = $1',
        [tenantId],
      );
    await lookedAt(client);
    return reads;
  };
  const { on, off } = await alternate(
    bench.options.rounds,
    { on: round('with'), off: round('without') },
    (_, now) =>
      bench.say(
        `  reads ${short(now.off)} without, ${short(now.on)}/s with rules; batches ${short(batchMs.without.at(-1) ?? 0)} and ${short(batchMs.with.at(-1) ?? 0)} ms`,
      ),
  );
  sender.close();
  const note = `${PACE} events/s for ${PACED_SECONDS} s`;
  const target = { atLeast: 0.85 };
  return [
    compared({ bench: 'watch', name: 'reads while rules keep up', unit: '/s', target, note }, on, {
      name: 'without rules',
      values: off,
    }),
    compared(
      { bench: 'watch', name: 'batches a second of work while rules keep up', unit: '/s', target, note },
      batchMs.with.map((ms) => 1_000 / ms),
      { name: 'without rules', values: batchMs.without.map((ms) => 1_000 / ms) },
    ),
    reported('watch', 'rules behind after the last receipt', 's', lags, { target: FINDING_LAG, note }),
  ];
}
const FINDING_LAG = { under: 5 } as const;

/** From the receipt of an event to its finding, caught up. */
async function findings(service: Service, client: Client): Promise<Figure> {
  const { tenantId, agentKey } = await createTenant(service, 'Told');
  const sender = new Sender(service.server.url, 1);
  const receipts: number[] = [];
  for (let n = 0; n < FINDINGS; n++) {
    await sender.send(agentKey, bodyOf(JSON.stringify([stoppedTrace(n)])));
    receipts.push(Date.now());
    await sleep(FINDING_PAUSE_MS + n);
  }
  sender.close();
  await lookedAt(client, tenantId);
  const { rows } = await client.query<{ at: Date; who: string }>(
    `SELECT detected_at AS at, group_values::json->>'serverPrincipalName' AS who FROM finding
     WHERE tenant_id = $1 AND title LIKE 'Trace or C2 off%'`,
    [tenantId],
  );
  if (rows.length !== FINDINGS) throw new Error(`${rows.length} findings of ${FINDINGS}`);
  const times = rows
    .map(({ at, who }) => at.getTime() - (receipts[Number(who)] ?? Number.NaN))
    .sort((a, b) => a - b);
  const percentile = (share: number) => times[Math.ceil(share * times.length) - 1] ?? Number.NaN;
  return reported('watch', 'from the receipt to the finding, 99th percentile', 'ms', [percentile(0.99)], {
    target: FINDING_MS,
    note: `${FINDINGS} events; median ${short(percentile(0.5))} ms`,
  });
}

/** Waits until the rules have seen all events that arrived. */
async function lookedAt(client: Client, tenantId: string | null = null): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ waiting: number }>(
      `SELECT ((SELECT count(*) FROM audit_log_queue) + (SELECT count(*) FROM audit_log_head h
         LEFT JOIN detection_position p ON p.tenant_id = h.tenant_id
         WHERE ($1::int IS NULL OR h.tenant_id = $1::int) AND (p.position IS NULL OR p.position < h.size)))::int AS waiting`,
      [tenantId],
    );
    if (rows[0]?.waiting === 0) return;
    await sleep(POLL_MS);
  }
}

/** @returns lists a second, on one connection, until it is over; for `seconds` at most */
async function readsFor(url: string, key: string, isOver: () => boolean, seconds: number): Promise<number> {
  const begun = performance.now();
  let count = 0;
  while (!isOver() && performance.now() - begun < seconds * 1_000) {
    const response = await fetch(url + LIST, { headers: { 'X-Api-Key': key } });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
    count += 1;
  }
  return count / ((performance.now() - begun) / 1_000);
}

const stoppedTrace = (n: number) => ({
  eventTime: new Date().toISOString(),
  actionId: 'TASP',
  succeeded: true,
  statement: '',
  serverInstanceName: 'SQL01',
  serverPrincipalName: String(n),
  sourceType: 'DirectFile',
  file: 'a.sqlaudit',
  fileGuid: randomUUID(),
  blockOffset: 512,
  index: 0,
  parts: 1,
});
