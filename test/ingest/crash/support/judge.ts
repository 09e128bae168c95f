import { isDeepStrictEqual } from 'node:util';
import { checkCheckpoints } from '../../../../src/modules/evidence/verify/checkpoints';
import { leafHashOf } from '../../../../src/store/log/evidence/entry';
import { toQuery } from '../../../support/arbitraries';
import { answerOf, summaryOf } from '../../../support/brute-force';
import { until } from '../../../support/until';
import type { Books } from './books';
import type { Site, TenantKeys } from './site';
import type { StoredEvent } from './stored-events';
import { QUESTIONS, RANGES } from './story';

const CATCH_UP_MS = 120_000;

/** Checks everything once senders and kills have stopped. @returns one sentence for each problem */
export async function judge(site: Site, books: Books, tenants: readonly TenantKeys[]): Promise<string[]> {
  const stored = await site.events();
  const problems = [...books.problems, ...site.services.flatMap((service) => service.problems)];
  await Promise.all(site.services.map((service) => service.running));
  for (const tenant of tenants) {
    const { tenantId } = tenant;
    const own = stored.filter((event) => event.tenantId === tenantId);
    problems.push(...books.compare(tenantId, own));
    for (const { url } of site.services) {
      const ask = asker(url, tenant.key);
      problems.push(...(await wrongAnswers(ask, tenantId, own)));
    }
    const ask = asker(site.services[0]?.url ?? '', tenant.key);
    problems.push(...(await wrongEvidence(ask, tenantId, own)));
    // The same questions again, now that counts are folded and words are indexed.
    problems.push(...(await wrongAnswers(ask, tenantId, own)));
  }
  return problems;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Ask = (path: string, query?: Readonly<Record<string, string>>) => Promise<any>;

const asker =
  (url: string, key: string): Ask =>
  async (path, query = {}) => {
    const address = `${url}/api/v1/public${path}?${new URLSearchParams(query)}`;
    const response = await fetch(address, { headers: { 'X-Api-Key': key } });
    // Not response.json(): its objects belong to another realm, and isDeepStrictEqual would tell them apart.
    const body = JSON.parse(await response.text());
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
    return body;
  };

/** @returns a sentence for each list, search and summary that differs from the stored events */
async function wrongAnswers(ask: Ask, tenantId: string, stored: readonly StoredEvent[]): Promise<string[]> {
  const problems: string[] = [];
  for (const question of QUESTIONS) {
    const query = toQuery(question);
    const { data, meta } = await ask('/audit-activity', query);
    const { timestamp: _, apiVersion: __, ...counts } = meta;
    const expected = answerOf(stored, [tenantId], question);
    if (!isDeepStrictEqual({ data, meta: counts }, expected))
      problems.push(`${text(query)}: ${text(counts)}, not ${text(expected.meta)}, or other events`);
  }
  for (const range of RANGES) {
    const { data } = await ask('/audit-activity/summary', range);
    const expected = summaryOf(stored, [tenantId], { ...range, page: 1, pageSize: 1 });
    if (!isDeepStrictEqual(data, expected))
      problems.push(`summary of ${text(range)} is ${text(data)}, not ${text(expected)}`);
  }
  return problems;
}

/** Waits until the evidence log holds all events. @returns problems of its entries and its signed checkpoints */
async function wrongEvidence(ask: Ask, tenantId: string, stored: readonly StoredEvent[]): Promise<string[]> {
  const { data: log } = await until(
    () => ask('/audit-log'),
    ({ data }) => data.problem !== null || (data.waitingEvents === 0 && !data.backfilling),
    CATCH_UP_MS,
  );
  const hashes: Buffer[] = [];
  const ids: Buffer[] = [];
  for (let start = 0; start < log.size; ) {
    const { data } = await ask('/audit-log/entries', { start: String(start) });
    hashes.push(Buffer.from(data.leafHashes, 'base64'));
    ids.push(Buffer.from(data.recordIds, 'base64'));
    start += data.count;
  }
  const [recordIds, leafHashes] = [Buffer.concat(ids), Buffer.concat(hashes)];
  const { checkpoints } = (await ask('/audit-log/checkpoints')).data;
  const { problem, waitingEvents, refusedEvents, publicKey } = log;
  const copy = {
    tenantId,
    publicKey,
    problem,
    waitingEvents,
    refusedEvents,
    checkpoints,
    recordIds,
    leafHashes,
  };
  const findings = checkCheckpoints(
    {
      ...copy,
      before: log.checkpoint,
      removals: [],
      erasures: [],
      sealed: { fileEntries: [], files: [] },
      holes: [],
      proofs: [],
      timeStamps: [],
    },
    [publicKey],
    [],
  );
  const isComplete = text(entriesOf(recordIds, leafHashes)) === text(stored.map(entryOf).sort());
  return [
    ...findings.problems,
    ...findings.spoilt.map(({ checkpoint }) => `checkpoint ${checkpoint.number} is not what the log holds`),
    ...(problem || refusedEvents > 0
      ? [`the evidence log is stuck: ${problem}, ${refusedEvents} refused`]
      : []),
    ...(isComplete
      ? []
      : [`the evidence log has ${log.size} entries, and is not that of ${stored.length} events`]),
  ];
}

const entryOf = ({ recordId, logged }: StoredEvent) =>
  `${recordId.replaceAll('-', '')} ${leafHashOf(logged)}`;

function entriesOf(recordIds: Buffer, leafHashes: Buffer): string[] {
  const count = leafHashes.length / 32;
  const entry = (_: unknown, i: number) =>
    `${recordIds.toString('hex', i * 16, i * 16 + 16)} ${leafHashes.toString('hex', i * 32, i * 32 + 32)}`;
  return Array.from({ length: count }, entry).sort();
}

const text = JSON.stringify;
