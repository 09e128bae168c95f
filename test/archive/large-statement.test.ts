import { FairShare, sharesOf } from '../../src/caller/rate-limit/fair-share';
import { hasMark } from '../../src/event/marks';
import { LIMITS } from '../../src/limits';
import { PostgresAuditEventReader } from '../../src/modules/activity/stored-reader';
import { checkEvent } from '../../src/modules/ingest/check-event';
import { sealedStatement } from '../../src/store/archive/rows-by-id';
import { LargeStatements } from '../../src/store/bytes/large-statements';
import { PostgresArrivalReader } from '../../src/store/log/arrivals/stored-arrivals';
import { oneTenant } from '../../src/tenant-set';
import { ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { Store } from '../support/store';
import { ArchiveTrial } from './archive-trial';

const WEEK = '2026-02-03T00:00:00Z';
/** Characters of one to four bytes, quotation marks, and characters that the database cannot hold. */
const PART = 'SELECT "a" \u0000 é 名前 😀 \u{10FFFF} \\ \n';
const LARGE = PART.repeat(Math.ceil(LIMITS.largeStatementBytes / PART.length) + 7);

describe.each(ENGINES)('a large statement on %s', (engine) => {
  let store: Store;
  let trial: ArchiveTrial;
  let recordId: string;
  beforeAll(async () => {
    store = await Store.open(engine);
    trial = await ArchiveTrial.open(store);
    const sent = [
      anEvent({ eventTime: WEEK, statement: LARGE }),
      anEvent({ eventTime: WEEK, blockOffset: 7 }),
    ];
    const events = sent.map((event) => {
      const result = checkEvent(store.tenantId, event, Date.now());
      if ('rejection' in result) throw new Error(result.rejection.message);
      return result.event;
    });
    recordId = events[0]?.recordId ?? '';
    await store.insert(events);
    await trial.settle();
  });
  afterAll(async () => {
    await trial.close();
    await store.close();
  });

  const find = async () => {
    const reader = new PostgresAuditEventReader(store.database.service);
    return (await reader.find(oneTenant(store.tenantId), recordId))?.statement ?? '';
  };
  const whole = async (text: string, form: 'json' | 'csv') => {
    const { service } = store.database;
    const shares = new FairShare(sharesOf(LIMITS.databaseConnections));
    const large = new LargeStatements(service, shares, sealedStatement(service));
    const pieces: Buffer[] = [];
    const asker = { holder: 'test', tenants: [store.tenantId] };
    for await (const piece of large.written(text, form, asker)) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces).toString();
  };

  it('is whole by a mark that was made before and after its week was sealed', async () => {
    const before = await find();
    expect(hasMark(before)).toBe(true);
    expect(await trial.seal(WEEK)).toMatchObject({ outcome: 'sealed', events: 2 });
    const after = await find();
    expect(after).toBe(before);
    const json = JSON.stringify(before).slice(1, -1);
    expect(JSON.parse(`"${await whole(json, 'json')}"`)).toBe(LARGE);
    expect(await whole(before.replaceAll('"', '""'), 'csv')).toBe(LARGE.replaceAll('"', '""'));
  });

  it('is marked in the log of arrivals where marks are asked for, and bounds a page by its bytes', async () => {
    const reader = new PostgresArrivalReader(store.database.service);
    const limits = { positions: 50, events: 10, bytes: 10 };
    const marked = await reader.read(store.tenantId, 0, { ...limits, hasMarks: true });
    expect(marked.items).toHaveLength(1);
    const read = await reader.read(store.tenantId, 0, { ...limits, bytes: 10_000_000 });
    expect(read.items.map(({ event }) => event.statement).toSorted()).toContain(LARGE);
  });

  it('is in rows again after a restore', async () => {
    expect(await trial.restore(WEEK)).toBe(2);
    const json = JSON.stringify(await find()).slice(1, -1);
    expect(JSON.parse(`"${await whole(json, 'json')}"`)).toBe(LARGE);
  });
});
