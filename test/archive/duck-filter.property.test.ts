import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { matchesFilter } from '../../src/event/expression/matches';
import { parseFilter } from '../../src/event/expression/parse-filter';
import { COLUMN_OF, FIELD_NAMES, LIFTED_NAMES } from '../../src/event/fields';
import { liftedOf } from '../../src/event/lifted';
import { FILTER_PARAMETERS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { toAuditEventFilter } from '../../src/event/query';
import { microsecondsOfRecordId } from '../../src/event/record-id';
import { checkEvent } from '../../src/modules/ingest/check-event';
import { boundsOf } from '../../src/store/archive/duck-filter';
import { DuckWorker } from '../../src/store/archive/duck-worker';
import type { CheckedEvent } from '../../src/store/bytes/checked-event';
import { toStored, toStoredJson } from '../../src/store/rows/stored-text';
import { questions, type Sent, sentEvents, toQuery } from '../support/arbitraries';
import { SEED } from '../support/share';

const TENANT = 3;
const ALL = { from: '00000000-0000-0000-0000-000000000000', to: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

describe('a filter asked of a file', () => {
  let folder: string;
  let worker: DuckWorker;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'filter-'));
    worker = new DuckWorker({ memoryMb: 128, threads: 1, folder });
  });
  afterAll(async () => {
    await worker.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('gives the events of which the filter holds, and counts them', async () => {
    let files = 0;
    await fc.assert(
      fc.asyncProperty(
        sentEvents.filter((sent) => sent.length > 0),
        fc.array(questions, { minLength: 10, maxLength: 20 }),
        async (sent, asked) => {
          const events = sent.map(checked).sort((a, b) => (a.recordId < b.recordId ? -1 : 1));
          const [lines, target] = ['lines', 'parquet'].map((name) => path.join(folder, `${++files}.${name}`));
          const all = events.map((event, i) => `${JSON.stringify(lineOf(event, i))}\n`);
          await writeFile(lines as string, all.join(''));
          await worker.write(lines as string, null, target as string, 100_000);
          for (const question of asked) {
            const { page, pageSize, sortBy, sortDirection, ...query } = toQuery(question);
            const filter = toAuditEventFilter(parseParameters(FILTER_PARAMETERS, query));
            const expected = events.filter((event) => matchesFilter(filter, wholeOf(event)));
            const of = { files: { tenantId: TENANT, paths: [target as string] }, filter, stretches: [ALL] };
            const ids = await worker.ids({ ...of, value: null, descending: false, limit: 100 });
            expect({ query, ids }).toEqual({ query, ids: expected.map(({ recordId }) => recordId) });
            const groups = await worker.groups({
              ...of,
              windowMs: null,
              fields: ['sessionId'],
              sumOf: 'sessionId',
            });
            const found = groups.map(({ session_id, n, sum }) => [session_id, n, sum]);
            expect({ query, found: found.sort() }).toEqual({ query, found: groupsOf(expected).sort() });
          }
        },
      ),
      { numRuns: 25, seed: SEED },
    );
  }, 180_000);
});

/** The events of both tenants are one tenant's here. */
function checked({ event }: Sent): CheckedEvent {
  const result = checkEvent(TENANT, event, Date.now());
  if ('rejection' in result) throw new Error(result.rejection.message);
  return result.event;
}

const wholeOf = ({ recordId, record, stated }: CheckedEvent) => {
  const fields = FIELD_NAMES.map((name) => [
    name,
    (record as unknown as Record<string, unknown>)[name] ?? null,
  ]);
  return {
    ...(Object.fromEntries(fields) as Parameters<typeof matchesFilter>[1]),
    tenantId: String(TENANT),
    recordId,
    additional: JSON.parse(stated),
  };
};

function lineOf(event: CheckedEvent, position: number): object {
  const whole = wholeOf(event);
  const lifted = liftedOf(whole);
  const values = FIELD_NAMES.filter((name) => name !== 'eventTime').map((name) => {
    const value = whole[name];
    return [COLUMN_OF[name], typeof value === 'boolean' ? value : toStored(String(value ?? ''))];
  });
  return {
    ...Object.fromEntries(values),
    ...Object.fromEntries(LIFTED_NAMES.map((name) => [COLUMN_OF[name], toStored(lifted[name] ?? '')])),
    additional: toStoredJson(event.stated),
    position,
    event_us: Number(microsecondsOfRecordId(event.recordId)),
    received_ms: 0,
  };
}

function groupsOf(events: readonly CheckedEvent[]) {
  const counts = new Map<string, number>();
  for (const event of events) {
    const value = liftedOf(wholeOf(event)).sessionId ?? '';
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].map(([value, n]) => [value, n, value === '' ? null : String(BigInt(value) * BigInt(n))]);
}

it('a network of IPv6 may have any address with a colon, and one of IPv4 none of another network', () => {
  const of = (filter: string) => {
    const parsed = parseFilter(filter);
    if ('problem' in parsed) throw new Error(parsed.problem);
    return boundsOf(parsed.expression, { tenantId: TENANT, areAscii: true });
  };
  const { is, can } = of('clientIp:2001:db8::/32');
  expect([is, can]).toEqual(['false', expect.stringContaining("contains(e.client_ip, ':')")]);
  expect(of('clientIp:10.0.0.0/8').is).toContain('BETWEEN 167772160 AND 184549375');
});
