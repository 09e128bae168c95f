import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { answerExport } from '../../../rest-facade/export';
import type { Call } from '../../../src/caller/call';
import { FairShare, LARGE_SHARES, sharesOf } from '../../../src/caller/rate-limit/fair-share';
import { parseTicks } from '../../../src/event/event-time';
import { FIELD_NAMES } from '../../../src/event/fields';
import { recordIdFloor } from '../../../src/event/record-id';
import { exporter } from '../../../src/modules/export/export-events';
import type { ExportPage, ExportSource, IdSpan } from '../../../src/modules/export/export-source';
import { LargeStatements } from '../../../src/store/bytes/large-statements';
import type { StoredAuditEvent } from '../../../src/store/rows/audit-event-reader';
import { fakeService } from '../../support/doors';
import { until } from '../../support/until';

const START = parseTicks('2026-01-01T00:00:00Z') ?? 0n;
const idOf = (n: number) => recordIdFloor(START + BigInt(n));
const STATEMENT = 'x'.repeat(64 * 1024);

const eventOf = (n: number) =>
  ({
    ...Object.fromEntries(FIELD_NAMES.map((name) => [name, null])),
    recordId: idOf(n),
    statement: STATEMENT,
    additional: {},
  }) as unknown as StoredAuditEvent;

type WholeEvents = Pick<ExportSource, 'plan' | 'page'>;

/** A source whose pages a test makes, with one event each. */
class Pages implements WholeEvents {
  asked = 0;
  constructor(private readonly pageOf: (n: number) => Promise<ExportPage> | ExportPage) {}
  plan = async () => ({ totalCount: null, spans: [{ after: idOf(0), upTo: idOf(1_000_000) }] });
  page = async (_tenants: unknown, _filter: unknown, _span: IdSpan) => this.pageOf(++this.asked);
}

/** No statement of these tests is large. */
const WHOLE = new LargeStatements(fakeService({}), new FairShare(LARGE_SHARES));

const CONTEXT = {
  principal: { kind: 'public', keyId: 'k', name: 'k', scopes: ['read:audit-activity'], tenantIds: [1] },
} as unknown as Call;

describe('the stream of an export', () => {
  let server: Server;
  let url: string;
  let released: number;
  let held: boolean;
  let allowed: boolean;
  let noted: string[];

  async function serve(source: WholeEvents) {
    [released, held, allowed, noted] = [0, true, true, []];
    const lease = { renew: async () => held, release: async () => void released++ };
    const begin = exporter(source, { take: async () => lease }, new FairShare(sharesOf(1)));
    const note = ({ outcome, rows }: { outcome: string; rows: number | null }) =>
      noted.push(`${outcome} ${rows}`);
    const again = async () => (allowed ? CONTEXT.principal : null);
    const context = { ...CONTEXT, note, again } as unknown as Call;
    const app = express().get(
      '/',
      answerExport(begin, WHOLE, async () => context),
    );
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('reads only as far ahead as the caller takes events in, however many there are', async () => {
    const pages = 2_000;
    const source = new Pages((n) => ({ events: [eventOf(n)], after: n < pages ? idOf(n) : null }));
    await serve(source);
    const { body } = await fetch(url);
    if (!body) throw new Error('no body');
    let [bytes, ahead] = [0, 0];
    for await (const chunk of body) {
      bytes += chunk.length;
      ahead = Math.max(ahead, source.asked - bytes / STATEMENT.length);
    }
    expect(bytes).toBeGreaterThan(pages * STATEMENT.length);
    // The difference is in the buffers of the two sockets, a few MB.
    expect(ahead).toBeLessThan(200);
    expect([released, noted]).toEqual([1, ['ok null', `ok ${pages}`]]);
  });

  it('breaks off when reading fails on the way', async () => {
    const fails = (n: number): ExportPage => {
      if (n === 3) throw new Error('lost');
      return { events: [eventOf(n)], after: idOf(n) };
    };
    await serve(new Pages(fails));
    const response = await fetch(url);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
    expect([released, noted]).toEqual([1, ['ok null', 'internal_error 2']]);
  });

  it('checks before each page whether the caller may still have it, and breaks off if not', async () => {
    const source = new Pages((n) => {
      allowed = n < 3;
      return { events: [eventOf(n)], after: idOf(n) };
    });
    await serve(source);
    const response = await fetch(url);
    await expect(response.text()).rejects.toThrow('terminated');
    expect([source.asked, released, noted]).toEqual([3, 1, ['ok null', 'unauthorized 3']]);
  });

  it('answers an error and releases the lease if reading fails before the first event', async () => {
    const fails = (): ExportPage => {
      throw new Error('lost');
    };
    await serve(new Pages(fails));
    expect([(await fetch(url)).status, released]).toEqual([500, 1]);
  });

  it('breaks off when its lease is lost', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const source = new Pages(async (n) => {
        held = n < 5;
        await jest.advanceTimersByTimeAsync(10_000);
        return { events: [eventOf(n)], after: idOf(n) };
      });
      await serve(source);
      await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
      expect(source.asked).toBeLessThan(10);
    } finally {
      jest.useRealTimers();
    }
  });

  it('releases the lease when the caller disconnects', async () => {
    const source = new Pages((n) => ({ events: [eventOf(n)], after: idOf(n) }));
    await serve(source);
    const leaving = new AbortController();
    const { body } = await fetch(url, { signal: leaving.signal });
    await body?.getReader().read();
    leaving.abort();
    await until(
      () => released,
      (count) => count > 0,
    );
    expect([released, noted.length]).toEqual([1, 2]);
  });
});
