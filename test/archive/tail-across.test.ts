import { OwnPlaces } from '../../src/caller/rate-limit/waiting-places';
import { CursorSeal } from '../../src/modules/tail/cursor';
import { Tail } from '../../src/modules/tail/tail';
import { PostgresArrivalReader } from '../../src/store/log/arrivals/stored-arrivals';
import { tenantSet } from '../../src/tenant-set';
import { ENGINES } from '../support/engines';
import { testEpoch } from '../support/epoch';
import { Store } from '../support/store';
import { ArchiveTrial } from './archive-trial';

const OLD = '2026-01-06T08:00:00.0000000Z';
const LATER = '2026-01-13T08:00:00.0000000Z';

describe.each(ENGINES)('the log of a tenant with a week in a file on %s', (engine) => {
  it('is read in pieces of any size, and no event of the file is passed over', async () => {
    const base = await Store.open(engine);
    const trial = await ArchiveTrial.open(base);
    try {
      const events = base.checked(Array.from({ length: 5 }, () => ({ eventTime: OLD })));
      await base.insert(events);
      await trial.settle();
      expect((await trial.seal(OLD, base.tenantId)).outcome).toBe('sealed');
      const reader = new PostgresArrivalReader(base.database.service);
      for (const limits of [
        { events: 2, bytes: 1_000_000 },
        { events: 100, bytes: 1 },
      ]) {
        const read: string[] = [];
        let [from, removed] = [0, 0];
        for (let calls = 0; from < events.length && calls < 10; calls++) {
          const page = await reader.read(base.tenantId, from, { positions: 100, ...limits });
          read.push(...page.items.map(({ event }) => event.recordId));
          removed += page.removed;
          from = page.next;
        }
        expect([read.toSorted(), removed]).toEqual([events.map(({ recordId }) => recordId).sort(), 0]);
      }
    } finally {
      await trial.close();
      await base.close();
    }
  });
});

describe.each(ENGINES)(
  'the tail of several tenants, of whom one has a week in a file that is away, on %s',
  (engine) => {
    let base: Store;
    let trial: ArchiveTrial;
    beforeAll(async () => {
      base = await Store.open(engine);
      trial = await ArchiveTrial.open(base);
    });
    afterAll(async () => {
      await trial.close();
      await base.close();
    });

    it('gives the events of the others, and those of the week once its file is back', async () => {
      const [away, other] = [await base.forNewTenant(), await base.forNewTenant()];
      const store = async (of: Store, eventTime: string) => {
        const [event] = of.checked([{ eventTime }]);
        if (!event) throw new Error('an event was made');
        await of.insert([event]);
        await trial.settle();
        return event.recordId;
      };
      const old = await store(away, OLD);
      const first = await store(other, LATER);
      expect((await trial.seal(OLD, away.tenantId)).outcome).toBe('sealed');
      await base.query('CREATE TABLE kept_pieces AS SELECT * FROM audit_sealed_piece');
      await base.query('DELETE FROM audit_sealed_piece WHERE tenant_id = $1::int', away.tenantId);

      const epoch = testEpoch();
      const tail = new Tail({
        reader: new PostgresArrivalReader(base.database.service),
        news: { wait: async () => null },
        fairShare: { run: (_asker, work) => work() },
        seal: new CursorSeal({ epoch, formerKeys: [], nowMs: Date.now }),
        epoch,
        waitingPlaces: new OwnPlaces(),
        listSources: async () => [],
      });
      const read = async (cursor: string | null) => {
        const { items, nextCursor, caughtUp } = await tail.read({
          tenants: tenantSet([away.tenantId, other.tenantId]),
          holder: 'key',
          filters: {} as never,
          limit: 7,
          asTexts: false,
          cursor,
          from: cursor === null ? 'beginning' : null,
          waitSeconds: 0,
          withSources: false,
          gone: new AbortController().signal,
          whileWaiting: (wait) => wait(),
        });
        return { ids: items.map((item) => 'event' in item && item.event.recordId), nextCursor, caughtUp };
      };
      const begun = await read(null);
      expect(begun).toMatchObject({ ids: [first], caughtUp: false });
      await expect(read(begun.nextCursor)).rejects.toMatchObject({
        code: 'service_unavailable',
        message: expect.stringContaining(`2026-01-05 of tenant ${away.tenantId} `),
      });
      const second = await store(other, LATER.replace('08', '09'));
      const further = await read(begun.nextCursor);
      expect(further).toMatchObject({ ids: [second], caughtUp: false });
      await base.query(
        'INSERT INTO audit_sealed_piece SELECT * FROM kept_pieces WHERE tenant_id = $1::int',
        away.tenantId,
      );
      expect(await read(further.nextCursor)).toMatchObject({ ids: [old], caughtUp: true });
    });
  },
);
