import { pino } from 'pino';
import type { OwnerDoor, ServiceDoor } from '../../src/database/clients';
import { FILTER_PARAMETERS, SORTS } from '../../src/event/parameters';
import { parseParameters } from '../../src/event/parse-parameters';
import { type AuditEventFilter, toAuditEventFilter } from '../../src/event/query';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { PostgresEvidenceStore } from '../../src/modules/evidence/evidence.store';
import { EvidenceLog } from '../../src/modules/evidence/evidence-log';
import { openBacklog } from '../../src/modules/evidence/log-key';
import { Sequencer } from '../../src/modules/evidence/sequencer';
import { PostgresAuditEventExplorer } from '../../src/modules/explore/stored-explorer';
import { PostgresExportSource } from '../../src/modules/export/export.source';
import { Indexer } from '../../src/modules/search/indexer';
import { PostgresAuditSourceStore } from '../../src/modules/sources/audit-source.store';
import { applyRetention } from '../../src/modules/tenants/retention/apply-retention';
import { PostgresRetentionStore } from '../../src/modules/tenants/retention/retention.store';
import { readFigures } from '../../src/observe/stored-figures';
import { Folder } from '../../src/store/counts/fold';
import { Partitions } from '../../src/store/rows/partitions';
import { tenantSet } from '../../src/tenant-set';
import { Memory } from '../evidence/support';
import { AT_ONCE } from '../support/at-once';
import { AN_ATTEMPT } from '../support/attempt';
import { TEST_CHECKPOINT_KEY } from '../support/checkpoint-key';
import { inLayout, layoutsOf } from '../support/doors';
import { NO_FILTER, usualFacets } from '../support/filters';
import { Inserter } from '../support/inserter';
import { recording, recordingService, seeingSteps } from '../support/recorded-statements';
import { Store } from '../support/store';

/**
 * Under row-level security PostgreSQL uses an index for a condition only if the condition is leakproof. A comparison of
 * a column with a column, a parameter or a constant is leakproof. A comparison with the result of a function, a cast or
 * an operator on another column is not (15.20 and later): PostgreSQL then reads every row and filters.
 */
describe('the check for computed comparisons', () => {
  it.each([
    ['SELECT 1 FROM audit_event e, h WHERE e.record_id >= lpad(to_hex(h.lo), 12)::uuid', 1],
    ['SELECT 1 FROM audit_event e JOIN h ON e.record_id < h.hi::uuid AND e.n = 1', 1],
    ['SELECT 1 FROM audit_event AS e, h WHERE (h.hour + 1) > e.hour', 1],
    ['DELETE FROM audit_word WHERE hour = ANY($1::int[]) AND word = lower($2)', 0],
    ['SELECT 1 FROM audit_event e, h WHERE e.record_id >= h.lo_id AND e.tenant_id = $1::int + 1', 0],
    [
      'SELECT 1 FROM audit_count c WHERE c.a = (SELECT m.dim_id FROM audit_dim m WHERE m.value = $1::text)',
      0,
    ],
    ['SELECT 1 FROM h WHERE h.lo = lower(h.hi)', 0],
  ])('finds those of a secured column only: %s', (text, count) => {
    expect(computedComparisons(text, ['audit_event', 'audit_word', 'audit_count', 'audit_dim'])).toHaveLength(
      count,
    );
  });
});

it('no statement compares a column under row-level security with a value computed from a column', async () => {
  const store = await Store.open('embedded');
  try {
    const secured = await store.query<{ name: string }>(
      `SELECT relname::text AS name FROM pg_class WHERE relrowsecurity`,
    );
    expect(secured.length).toBeGreaterThan(10);
    const texts = await everyStatement(store);
    expect(texts.length).toBeGreaterThan(100);
    expect(
      texts.flatMap((text) =>
        computedComparisons(
          text,
          secured.map(({ name }) => name),
        ),
      ),
    ).toEqual([]);
  } finally {
    await store.close();
  }
}, 300_000);

/** @returns every statement of a service that takes in, counts, indexes, seals, reads, exports and removes events */
async function everyStatement(store: Store): Promise<readonly string[]> {
  const texts: string[] = [];
  const { database, tenantId } = store;
  const service = recordingService(database.service, texts);
  const owner = seeingSteps(recording(database.migrator, texts), (text) => texts.push(text));
  await writeAndSeal(store, service, owner);
  const other = (await store.forNewTenant()).tenantId;
  for (const tenants of [[tenantId], [tenantId, other]])
    for (const isDistributed of layoutsOf('postgresql'))
      await read(inLayout(isDistributed, service), tenants);
  const sources = new PostgresAuditSourceStore(service, owner, async () => false);
  await sources.sources(tenantId);
  await sources.sources(null);
  await sources.removeGaps(tenantId, 10, new Date(), new Date());
  await readFigures(owner, 10, 60_000);
  const retention = new PostgresRetentionStore(service, owner);
  await retention.setDays(tenantId, 10, AN_ATTEMPT);
  const log = pino({ level: 'silent' });
  await applyRetention({ store: retention, nowMs: () => Date.parse('2026-01-31T00:00:00Z'), log });
  expect((await retention.runs(tenantId, 10)).map(({ events }) => events)).toEqual([2]);
  return [...new Set(texts)];
}

async function writeAndSeal(store: Store, service: ServiceDoor, owner: OwnerDoor): Promise<void> {
  const writer = new Inserter(service, new Partitions(owner), TEST_CHECKPOINT_KEY);
  const times = [
    '2026-01-05T08:00:00.0000000Z',
    '2026-01-20T08:00:00.0000000Z',
    '2026-01-22T08:00:00.0000000Z',
  ];
  await writer.insert(store.tenantId, store.checked(times.map((eventTime) => ({ eventTime }))));
  await new Folder(owner).run();
  await new Indexer(owner, AT_ONCE).run();
  const log = pino({ level: 'silent' });
  const key = { own: TEST_CHECKPOINT_KEY, others: [], former: [] };
  await store.query(
    `INSERT INTO audit_log_backlog VALUES ($1, 0, '00000000-0000-8000-8000-000000000000')`,
    store.tenantId,
  );
  await owner.models.$transaction((tx) => openBacklog(tx, key));
  while ((await new Sequencer(owner, key, new Memory(), log, 0).run()) > 0);
}

async function read(service: ServiceDoor, tenants: readonly number[]): Promise<void> {
  const scope = tenantSet(tenants);
  const reader = new PostgresAuditEventReader(service);
  const explorer = new PostgresAuditEventExplorer(service);
  const exported = new PostgresExportSource(service);
  const query = { sort: 'recordId', descending: true, page: 1, pageSize: 10 } as const;
  for (const sort of Object.values(SORTS)) await reader.page(scope, { ...query, filter: NO_FILTER, sort });
  for (const filter of FILTERS) {
    await reader.page(scope, { ...query, filter });
    await reader.page(scope, { ...query, filter, page: 1_000, descending: false });
    await reader.summary(scope, filter);
    for (const buckets of [10, 60, 240]) await explorer.histogram(scope, filter, buckets);
    await explorer.facets(scope, filter, usualFacets(10));
    for (const span of (await exported.plan(scope, filter)).spans) await exported.page(scope, filter, span);
  }
  const evidence = new EvidenceLog(
    new PostgresEvidenceStore(service),
    TEST_CHECKPOINT_KEY.verifierKey,
    () => null,
  );
  const [event] = (await reader.page(scope, { ...query, filter: NO_FILTER })).items;
  if (!event) throw new Error('no event');
  await reader.find(scope, event.recordId);
  await evidence.states(scope);
  await evidence.entries(scope[0] as number, 0);
  await evidence.proof(scope[0] as number, event.recordId);
}

const RANGE = { from: 17_670_000_000_001_234n, to: 17_690_000_000_001_234n };
const FILTERS: readonly AuditEventFilter[] = [
  NO_FILTER,
  { ...NO_FILTER, ...RANGE },
  { ...NO_FILTER, actionId: 'SL', databaseName: 'a', principalName: 'x' },
  { ...NO_FILTER, ...RANGE, succeeded: false },
  { ...NO_FILTER, serverInstanceName: 'SQL1\\PAY', succeeded: true },
  { ...NO_FILTER, search: [{ kind: 'word', text: 'select' }] },
  ...['objectName:a* OR NOT principalName~x', 'statement:select -databaseName:*', 'objectName:a select'].map(
    (filter) => toAuditEventFilter(parseParameters(FILTER_PARAMETERS, { filter })),
  ),
  { ...NO_FILTER, ...RANGE, search: [{ kind: 'phrase', text: 'select * from' }], actionId: 'SL' },
];

const TOKEN =
  /'(?:[^']|'')*'|\$\d+|[a-z_]\w*(?:\.[a-z_*]\w*)*|\d+(?:\.\d+)?|::|<=|>=|<>|!=|@>|\|\||[-+*/%<>=(),[\]]/gi;
const COMPARISONS = new Set(['=', '<', '>', '<=', '>=', '<>', '!=', '@>']);
const ENDS =
  /^(AND|OR|NOT|WHERE|ON|SELECT|FROM|JOIN|LEFT|CROSS|GROUP|ORDER|HAVING|LIMIT|OFFSET|UNION|RETURNING|THEN|ELSE|WHEN|END|AS|SET|CASE|,)$/i;
const COMPUTES = new Set(['::', '||', '+', '-', '*', '/', '%']);
const COLUMN = /^[a-z_]\w*\.[a-z_]\w*$/i;

/** @returns the comparisons of a secured table's column with a value computed from another column */
function computedComparisons(text: string, secured: readonly string[]): string[] {
  const aliases = new Set(
    [...text.matchAll(new RegExp(String.raw`\b(?:${secured.join('|')})\b(?:\s+AS)?\s+([a-z]\w*)`, 'gi'))].map(
      ([, alias]) => alias as string,
    ),
  );
  const tokens = text.match(TOKEN) ?? [];
  const isSecured = (side: readonly string[]) =>
    side.length === 1 &&
    COLUMN.test(side[0] as string) &&
    aliases.has((side[0] as string).split('.')[0] as string);
  return tokens.flatMap((token, i) => {
    if (!COMPARISONS.has(token)) return [];
    const [left, right] = [operand(tokens, i - 1, -1), operand(tokens, i + 1, 1)];
    const isFound = (isSecured(left) && isComputed(right)) || (isSecured(right) && isComputed(left));
    return isFound ? [[...left, token, ...right].join(' ')] : [];
  });
}

/** @returns the tokens of one side of a comparison, up to the word or bracket that ends it */
function operand(tokens: readonly string[], start: number, step: 1 | -1): string[] {
  const [opens, closes] = step === 1 ? ['(', ')'] : [')', '('];
  const found: string[] = [];
  let depth = 0;
  for (let i = start; i >= 0 && i < tokens.length; i += step) {
    const token = tokens[i] as string;
    if (token === opens) depth++;
    if (token === closes && depth-- === 0) break;
    if (depth === 0 && ENDS.test(token)) break;
    found.push(token);
  }
  return step === 1 ? found : found.reverse();
}

/** A sub-select is evaluated first, so only a computation outside of it counts. */
function isComputed(side: readonly string[]): boolean {
  if (side.some((token) => /^SELECT$/i.test(token))) return false;
  const calls = side.some(
    (token, i) => /^[a-z_]\w*$/i.test(token) && side[i + 1] === '(' && !/^ANY$/i.test(token),
  );
  return side.some((token) => COLUMN.test(token)) && (calls || side.some((token) => COMPUTES.has(token)));
}
