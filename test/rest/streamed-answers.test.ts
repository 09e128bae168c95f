import { once } from 'node:events';
import { createServer, request as requestHttp, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import express, { type Request, type RequestHandler, type Response } from 'express';
import pino from 'pino';
import { answerExport } from '../../rest-facade/export';
import { answerLive } from '../../rest-facade/live';
import { answerPackage } from '../../rest-facade/package';
import {
  answerNewRun,
  answerRunFile,
  expressPath,
  MAKE_ROUTE,
  RUN_FILE_ROUTE,
} from '../../rest-facade/report';
import { answerTail } from '../../rest-facade/tail';
import type { Access, Call } from '../../src/caller/call';
import { masksOf, type Principal } from '../../src/caller/principal';
import { whenClosed } from '../../src/deadline';
import { DomainError, serviceUnavailable } from '../../src/errors';
import { MARK } from '../../src/event/marks';
import { errorResponder } from '../../src/http/refusal';
import { LIMITS } from '../../src/limits';
import type { MakePackage } from '../../src/modules/evidence/package/evidence-package';
import type { Export } from '../../src/modules/export/export-events';
import type { MakeRequest } from '../../src/modules/reports/maker';
import type { TailPage, TailRequest } from '../../src/modules/tail/tail';
import type { TailItem } from '../../src/modules/tail/walk';
import { anEventInFull } from '../evidence/parts/log-copies';
import { until } from '../support/until';
import { useLimits } from '../support/use-limits';

const SCOPES = ['read:audit-activity', 'read:reports'];
const READER = {
  kind: 'public',
  keyId: 'k1',
  name: 'auditor',
  scopes: SCOPES,
  tenantIds: [7],
  rateLimitPerMinute: null,
} as unknown as Principal;
const MIB = 1024 * 1024;

const arrived = (n: number): TailItem =>
  ({ position: n, receivedAt: null, event: { ...anEventInFull(n), statement: `SELECT ${n}` } }) as never;
const pageOf = (
  cursor: string,
  items: readonly TailItem[] = [],
  change: Partial<TailPage> = {},
): TailPage => ({
  items,
  nextCursor: cursor,
  startCursor: 'start',
  caughtUp: items.length === 0,
  removed: 0,
  sources: null,
  ...change,
});

/** What the entrance did for a call, and what the parts behind it answer. */
class Entrance {
  readonly noted: Access[] = [];
  readonly charged: number[] = [];
  readonly reads: TailRequest[] = [];
  readonly rooms: { held: number; isOver: boolean }[] = [];
  readonly made: MakeRequest[] = [];
  readonly stopping = new AbortController();
  pages: (TailPage | Error | (() => TailPage | Promise<TailPage>))[] = [];
  principal: Principal = READER;
  masking: readonly number[] = [];
  again: Principal | null = READER;
  /** How often a caller was looked up again while the database was away. */
  looksInVain = 0;
  isAway = false;
  streams = 0;
  mayStream = true;
  exportsEnded = 0;
  /** What the connection of a package got, and the end of the lease of a package or an export among it. */
  readonly inPackage: string[] = [];
  readonly covered: object[] = [];
  filesRead = 0;
  whileMade = async () => {};
  counted: number | null = 3;
  batches: () => AsyncGenerator<never[]> = async function* () {
    yield [anEventInFull(1), anEventInFull(2)] as never[];
  };

  readonly tail = {
    read: async (request: TailRequest) => {
      this.reads.push(request);
      const next = this.pages.shift();
      const answer = async () => {
        if (next === undefined) throw new Error('no page left');
        if (next instanceof Error) throw next;
        return typeof next === 'function' ? next() : next;
      };
      if (request.waitSeconds === 0) return answer();
      let page: TailPage | undefined;
      await request.whileWaiting(async () => {
        page = await answer();
        return true;
      });
      return page as TailPage;
    },
  };
  readonly answers = {
    hold: async (_asker: object, bytes: number) => {
      const room = { held: bytes, isOver: false };
      this.rooms.push(room);
      return {
        settle: (held: number) => void Object.assign(room, { held }),
        grow: async (held: number) => void Object.assign(room, { held }),
        release: () => void Object.assign(room, { isOver: true }),
      };
    },
  } as never;
  readonly parts = {
    tail: this.tail,
    answers: this.answers,
    streams: {
      begin: () => {
        if (!this.mayStream) return null;
        this.streams++;
        return () => void this.streams--;
      },
    },
    large: { pieces: async (texts: Iterable<string>) => [...texts].map((text) => Buffer.from(text)) },
    whileWaiting: async <T>(_: Request, __: Response, wait: () => Promise<T>) => wait(),
    stopping: this.stopping.signal,
    maskedTenants: { among: async () => this.masking },
    noteView: (_: Call, access: Access) => void this.noted.push(access),
  };
  readonly reports = {
    make: async (request: MakeRequest) => {
      this.made.push(request);
      await this.whileMade();
      await request.assertAllowed(7);
      return 'run-1';
    },
    file: async (_tenants: unknown, runId: string, format: string) => ({
      name: `report.${format}`,
      format,
      bytes: 4,
      sha256: '',
      runId,
      rows: 5,
      content: this.fileBytes(),
    }),
  };
  async *fileBytes() {
    this.filesRead++;
    yield Buffer.from('file');
  }
  readonly begin = async (): Promise<Export> => ({
    totalCount: this.counted,
    handedOver: 2,
    batches: this.batches(),
    end: async () => {
      this.exportsEnded++;
      this.inPackage.push('lease ended');
    },
  });
  readonly packages = {
    make: async function* ({ events, write, gaps }: Parameters<MakePackage>[0]) {
      for await (const some of events) for await (const line of write(some)) yield Buffer.from(line);
      yield Buffer.from(JSON.stringify(await gaps()));
    } as MakePackage,
    assertSigns: () => {},
    coverage: async (_tenants: unknown, question: object) => {
      this.covered.push(question);
      return { gapCount: 0 };
    },
  };
  onGone = () => {};
  readonly contextOf = async (_: Request, response: Response): Promise<Call> => {
    const gone = whenClosed(response);
    gone.addEventListener('abort', () => this.onGone());
    return {
      requestId: 'r1',
      principal: this.principal,
      again: async () => {
        if (!this.isAway) return this.again;
        this.looksInVain++;
        throw serviceUnavailable(new Error('away'));
      },
      address: '192.0.2.1',
      entrance: 'rest',
      gone,
      note: (access) => void this.noted.push(access),
      ...(await masksOf(this.principal, this.parts.maskedTenants)),
      masksNow: () => masksOf(this.principal, this.parts.maskedTenants),
      charge: (calls) => void this.charged.push(calls),
    };
  };
}

describe('answers that are written while they are read', () => {
  let server: Server;
  let at: Entrance;
  let port: number;
  const rowsInLog: unknown[] = [];
  beforeAll(async () => {
    const app = express();
    const by =
      (handler: () => RequestHandler): RequestHandler =>
      (request, response, next) => {
        response.once('close', () => rowsInLog.push(response.locals.rows));
        return handler()(request, response, next);
      };
    app.get(
      '/live',
      by(() => answerLive(at.parts as never, at.contextOf)),
    );
    app.get(
      '/tail',
      by(() => answerTail(at.parts as never, at.contextOf)),
    );
    app.get(
      '/export',
      by(() => (request, response, next) => {
        const end = response.end.bind(response) as (...args: unknown[]) => Response;
        response.end = (...args: unknown[]) => {
          at.inPackage.push('answer ended');
          return end(...args);
        };
        return answerExport(at.begin, { written } as never, at.contextOf)(request, response, next);
      }),
    );
    app.get(
      '/package',
      by(() => (request, response, next) => {
        const write = response.write.bind(response) as (...args: unknown[]) => boolean;
        response.write = (...args: unknown[]) => {
          at.inPackage.push(String(args[0]).startsWith('{"gapCount"') ? 'last piece' : 'piece');
          return write(...args);
        };
        return answerPackage(
          at.begin,
          at.packages,
          { written } as never,
          at.contextOf,
        )(request, response, next);
      }),
    );
    app.get(
      expressPath(RUN_FILE_ROUTE),
      by(() => answerRunFile(at.reports as never, at.contextOf)),
    );
    app.get(
      expressPath(MAKE_ROUTE),
      by(() => answerNewRun(at.reports as never, at.contextOf)),
    );
    app.use(errorResponder(pino({ level: 'silent' })));
    server = createServer(app);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  beforeEach(() => {
    at = new Entrance();
    rowsInLog.length = 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  async function* written(text: string) {
    yield text;
  }
  const call = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const sent = requestHttp({ host: '127.0.0.1', port, path, headers, method });
    sent.end();
    const [response] = await once(sent, 'response');
    return { status: response.statusCode, headers: response.headers, text: String(await buffer(response)) };
  };
  const head = (path: string) => call(path, {}, 'HEAD');
  /** Calls, and leaves as soon as `when` is there. */
  const leave = async (path: string, when: Promise<unknown>) => {
    const sent = requestHttp({ host: '127.0.0.1', port, path });
    sent.on('error', () => {});
    sent.end();
    await when;
    sent.destroy();
  };
  const ends = (page: TailPage) => () => {
    at.stopping.abort();
    return page;
  };
  const messages = (text: string) => text.split('\n\n').slice(0, -1);

  describe('a tenant that begins to mask its statements', () => {
    const secret = (n: number) =>
      ({ ...arrived(n), event: { ...anEventInFull(n), statement: "SELECT 'secret'" } }) as never;
    const secretEvents = (n: number) => [{ ...anEventInFull(n), statement: "SELECT 'secret'" }] as never[];
    const secrets = (text: string) => text.split('secret').length - 1;

    it('hides the literals of what an export reads from then on', async () => {
      at.batches = async function* () {
        yield secretEvents(1);
        at.masking = [7];
        yield secretEvents(2);
        yield secretEvents(3);
      };
      const { status, text } = await call('/export');
      expect([status, secrets(text), text.trim().split('\n').length]).toEqual([200, 1, 3]);
    });

    it('breaks a package, whose events could not be proven without them', async () => {
      at.batches = async function* () {
        yield secretEvents(1);
        at.masking = [7];
        yield secretEvents(2);
      };
      await expect(call('/package')).rejects.toThrow();
      expect([at.noted.at(-1)?.outcome, at.exportsEnded > 0]).toEqual(['forbidden', true]);
    });

    it('breaks an export whose filter looks into statements', async () => {
      at.batches = async function* () {
        yield secretEvents(1);
        at.masking = [7];
        yield secretEvents(2);
      };
      await expect(call('/export?search=secret')).rejects.toThrow();
      expect(at.noted.at(-1)).toMatchObject({ outcome: 'invalid_parameter' });
    });

    it('refuses a call of the tail or a stream that waited with a filter which looks into statements', async () => {
      const begins = () => {
        at.masking = [7];
        return pageOf('c2', [secret(1)]);
      };
      at.pages = [begins];
      const { status, text } = await call('/tail?from=now&wait=20&format=ecs&search=secret');
      expect([status, JSON.parse(text).error.code, secrets(text)]).toEqual([400, 'invalid_parameter', 0]);
      at.masking = [];
      at.pages = [pageOf('c1'), begins, ends(pageOf('c3'))];
      const [first, last, ...more] = messages((await call('/live?search=secret')).text);
      console.log(first, last, more, at.masking);
      expect([first?.startsWith('id: c1\n'), more]).toEqual([true, []]);
      expect(last).toContain('event: end\ndata: {"code":"invalid_parameter"');
    });

    it('hides the literals of what a call of the tail waited for', async () => {
      const begins = (page: TailPage) => () => {
        at.masking = [7];
        return page;
      };
      at.pages = [begins(pageOf('c1', [secret(1)]))];
      const { text } = await call('/tail?from=now&wait=20&format=ecs');
      expect([secrets(text), JSON.parse(text).data.length]).toEqual([0, 1]);
      at.masking = [];
      // The texts of a page are as the events are stored: a later call brings the events.
      at.pages = [begins(pageOf('c1', [{ position: 1, json: JSON.stringify(secret(1)) } as never]))];
      const later = await call('/tail?from=now&wait=20');
      expect(JSON.parse(later.text)).toMatchObject({
        data: [],
        meta: { nextCursor: 'start', caughtUp: false },
      });
    });
  });

  describe('a live stream', () => {
    it('notes the rows of all of its messages, also in the log of requests, and ends without a code', async () => {
      at.pages = [pageOf('c1', [arrived(1), arrived(2)]), pageOf('c2', [arrived(3)]), ends(pageOf('c2'))];
      const { headers, text } = await call('/live?filter=actionId:*');
      expect(messages(text).map((one) => one.split('\n').slice(0, 2))).toEqual([
        ['id: c1', 'event: events'],
        ['id: c2', 'event: events'],
        [':'],
        ['event: end', 'data: {"code":null}'],
      ]);
      expect(at.noted.map(({ operation, outcome, rows }) => [operation, outcome, rows])).toEqual([
        ['liveAuditActivity', 'ok', null],
        ['liveAuditActivity', 'ok', 3],
      ]);
      expect(at.noted[1]?.parameters).toEqual({ filter: 'actionId:*' });
      expect(rowsInLog).toEqual([3]);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
        connection: 'close',
      });
      expect([at.streams, at.rooms.every(({ isOver }) => isOver)]).toEqual([0, true]);
    });

    it('begins now without waiting, or behind the id that the reader has', async () => {
      const of = ({ cursor, from, waitSeconds, limit }: TailRequest) => [cursor, from, waitSeconds, limit];
      at.pages = [pageOf('c1'), ends(pageOf('c2'))];
      await call('/live');
      expect(at.reads.map(of)).toEqual([
        [null, 'now', 0, LIMITS.liveEventsMax],
        ['c1', null, LIMITS.liveSilenceSeconds, LIMITS.liveEventsMax],
      ]);
      at = new Entrance();
      at.pages = [ends(pageOf('c5'))];
      const { text } = await call('/live', { 'Last-Event-ID': 'c5' });
      expect(at.reads.map(of)).toEqual([['c5', null, 0, LIMITS.liveEventsMax]]);
      expect(messages(text)).toEqual([':', 'event: end\ndata: {"code":null}']);
    });

    it('masks statements for those who may not see them whole, and notes once who may', async () => {
      const seen = async (scopes: readonly string[]) => {
        at = new Entrance();
        at.principal = {
          ...READER,
          scopes: [...SCOPES, ...scopes],
        } as never;
        [at.again, at.masking] = [at.principal, [7]];
        const secret = (n: number) => {
          const one = arrived(n) as { event: object };
          return { ...one, event: { ...one.event, statement: "SELECT 'secret'" } } as never;
        };
        at.pages = [pageOf('c1', [secret(1)]), pageOf('c2', [secret(2)]), ends(pageOf('c3', [secret(3)]))];
        const { text } = await call('/live');
        const unmasked = at.noted.filter(({ operation }) => operation === 'unmaskStatements');
        return [text.split('secret').length - 1, unmasked.length];
      };
      expect([await seen([]), await seen(['unmask'])]).toEqual([
        [0, 0],
        [3, 1],
      ]);
    });

    it('tells a new place where nothing is to show, and how much is gone', async () => {
      at.pages = [pageOf('c1', [], { removed: 4, caughtUp: false }), pageOf('c2'), ends(pageOf('c2'))];
      const [first, second] = messages((await call('/live')).text);
      expect(first).toBe('id: c1\nevent: events\ndata: {"items":[],"caughtUp":false,"removed":4}');
      expect(second).toBe(':\nid: c2');
    });

    it('ends with the reason where its session is refused, and answers as usual where it has not begun', async () => {
      at.pages = [
        pageOf('c1'),
        () => {
          at.again = null;
          return pageOf('c2', [arrived(1)]);
        },
      ];
      const { status, text } = await call('/live');
      const last = messages(text).at(-1) ?? '';
      expect([status, last.startsWith('event: end\ndata: {"code":"unauthorized"')]).toEqual([200, true]);
      expect(text).not.toContain('SELECT 1');
      expect(at.noted.at(-1)).toMatchObject({ outcome: 'unauthorized', rows: 0 });
      at = new Entrance();
      at.pages = [serviceUnavailable(new Error('gone'))];
      expect((await call('/live')).status).toBe(503);
      expect([at.streams, at.rooms.every(({ isOver }) => isOver)]).toEqual([0, true]);
    });

    describe('that looks often at its session', () => {
      useLimits({ liveCheckMs: 5 });

      it('goes on where the database is away for a while', async () => {
        const away = async () => {
          at.isAway = true;
          await until(
            () => at.looksInVain,
            (looks) => looks > 1,
          );
          at.isAway = false;
          return ends(pageOf('c2', [arrived(1)]))();
        };
        at.pages = [pageOf('c1'), away];
        const { text } = await call('/live');
        expect(messages(text).at(-1)).toBe('event: end\ndata: {"code":null}');
        expect(text).toContain('SELECT 1');
      });
    });

    it('ends as planned where its last look fails because the database is away, and with the reason else', async () => {
      const failing = (error: Error) => () => {
        at.stopping.abort();
        throw error;
      };
      const code = async (error: Error) => {
        at = new Entrance();
        at.pages = [pageOf('c1'), failing(error)];
        return JSON.parse((messages((await call('/live')).text).at(-1) ?? '').replace(/^.*\ndata: /, ''))
          .code;
      };
      expect(await code(serviceUnavailable(new Error('away')))).toBeNull();
      expect(await code(new Error('a defect'))).toBe('internal_error');
    });

    it('ends as planned when its time is over', async () => {
      const untilOver = () =>
        new Promise<TailPage>((done) => {
          at.reads.at(-1)?.gone.addEventListener('abort', () => done(pageOf('c2', [arrived(2)])));
        });
      at.pages = [pageOf('c1', [arrived(1)]), untilOver, new Error('read after its end')];
      const time = jest.replaceProperty(LIMITS, 'liveMs', 37 as never);
      const { text } = await call('/live');
      time.restore();
      const [first, ...others] = messages(text).map((one) => one.split('\n').slice(0, 2).join());
      expect([first, others.at(-1)]).toEqual(['id: c1,event: events', 'event: end,data: {"code":null}']);
      expect([at.reads.length, at.streams]).toEqual([2, 0]);
    });

    it('ends for a reader who has gone, and says so only in the access log', async () => {
      let isWaiting = () => {};
      const waiting = new Promise<void>((done) => {
        isWaiting = done;
      });
      at.pages = [
        pageOf('c1', [arrived(1)]),
        () =>
          new Promise((done) => {
            at.reads.at(-1)?.gone.addEventListener('abort', () => done(pageOf('c1')));
            isWaiting();
          }),
      ];
      await leave('/live', waiting);
      await until(
        () => at.noted.length,
        (count) => count === 2,
      );
      expect([at.noted[1], at.streams, at.rooms.every(({ isOver }) => isOver)]).toMatchObject([
        { rows: 1 },
        0,
        true,
      ]);
    });

    it('is cut off where its reader does not take a message in time', async () => {
      // More than the connection keeps on the way.
      const more = Array.from({ length: 20_000 }, (_, n) => arrived(n));
      at.pages = [pageOf('c1', more), ends(pageOf('c1'))];
      const time = jest.replaceProperty(LIMITS, 'liveReadMs', 43 as never);
      const sent = requestHttp({ host: '127.0.0.1', port, path: '/live' });
      sent.on('error', () => {});
      sent.end();
      const [response] = await once(sent, 'response');
      response.on('error', () => {});
      await until(
        () => at.noted.length,
        (count) => count === 2,
      );
      time.restore();
      expect([at.noted[1]?.outcome, at.reads.length, at.streams]).toEqual(['request_timeout', 1, 0]);
      sent.destroy();
    });

    it('is refused where a holder has as many as it may, which says when to come back', async () => {
      at.mayStream = false;
      const { status, headers } = await call('/live');
      expect([status, headers['retry-after'], at.reads]).toEqual([
        429,
        String(LIMITS.liveSilenceSeconds),
        [],
      ]);
    });

    it('has a head of its own, which begins no stream', async () => {
      at.pages = [pageOf('c1', [arrived(1)])];
      const { status, headers, text } = await head('/live');
      expect([status, headers['content-type'], text]).toEqual([200, 'text/event-stream; charset=utf-8', '']);
      expect(at.reads).toHaveLength(1);
    });
  });

  describe('a call of the tail', () => {
    const large = (n: number, bytes: number): TailItem =>
      ({ position: n, json: `"${MARK}:7:0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a:10:${bytes};"` }) as never;

    it.each([
      ['of none', [arrived(1)], 0],
      ['less than that', [large(1, MIB - 1)], 0],
      ['of several together', [large(1, MIB / 2), arrived(2), large(3, 2 * MIB)], 2],
    ])('counts as a further call for each MiB of large statements: %s', async (_, items, calls) => {
      at.pages = [pageOf('c1', items)];
      expect((await call('/tail?from=beginning')).status).toBe(200);
      expect(at.charged).toEqual([calls]);
    });

    it('notes its rows, and holds room of the size of its answer', async () => {
      at.pages = [pageOf('c1', [arrived(1), arrived(2)])];
      const { text, headers } = await call('/tail?from=beginning');
      expect(at.noted).toEqual([
        { operation: 'tailAuditActivity', outcome: 'ok', rows: 2, parameters: { from: 'beginning' } },
      ]);
      expect(rowsInLog).toEqual([2]);
      expect(at.rooms.map(({ isOver }) => isOver)).toEqual([true, false]);
      expect([at.rooms[1]?.held, headers['content-length']]).toEqual([text.length, String(text.length)]);
      expect(JSON.parse(text).data).toHaveLength(2);
    });

    it('is checked again after it waited, and then answered only to who still has its tenants', async () => {
      const waited = async (again: Principal | null) => {
        at = new Entrance();
        at.again = again;
        at.pages = [pageOf('c1', [arrived(1)])];
        const { status, text } = await call('/tail?from=now&wait=5');
        return [status, text.includes('SELECT 1'), at.rooms[0]?.isOver];
      };
      expect([
        await waited(READER),
        await waited(null),
        await waited({ ...READER, tenantIds: [8] } as never),
      ]).toEqual([
        [200, true, true],
        [401, false, true],
        [403, false, true],
      ]);
    });

    it('is to be repeated where one of its tenants was disabled while it waited', async () => {
      at.principal = { ...READER, tenantIds: [7, 8] } as never;
      at.again = { ...READER, tenantIds: [7], disabledTenantIds: [8] } as never;
      at.pages = [pageOf('c1', [arrived(1)])];
      const { status, text } = await call('/tail?from=now&wait=5');
      expect([status, JSON.parse(text).error.message]).toEqual([
        503,
        'A tenant of the key was disabled while the call waited. Ask again.',
      ]);
    });

    it('leaves its events to a later call where the database cannot say now which tenants are masked', async () => {
      at.pages = [
        () => {
          at.parts.maskedTenants.among = async () => Promise.reject(serviceUnavailable(new Error('busy')));
          return pageOf('c1', [arrived(1)], { removed: 3, caughtUp: true });
        },
      ];
      const { status, text } = await call('/tail?from=now&wait=5');
      expect([status, JSON.parse(text)]).toMatchObject([
        200,
        { data: [], meta: { nextCursor: 'start', caughtUp: false, removed: 0 } },
      ]);
    });

    it('leaves its events to a later call where a large statement cannot be read now', async () => {
      at.pages = [pageOf('c1', [arrived(1)], { removed: 3, caughtUp: true, sources: [] })];
      at.parts.large.pieces = async () => Promise.reject(serviceUnavailable(new Error('busy')));
      const { status, headers, text } = await call('/tail?cursor=c0');
      expect([status, headers['x-next-cursor'], headers['x-caught-up'], headers['x-removed']]).toEqual([
        200,
        'start',
        'false',
        '0',
      ]);
      expect(JSON.parse(text)).toMatchObject({ data: [], meta: { nextCursor: 'start' } });
      expect(at.noted.at(-1)).toMatchObject({ rows: 0 });
    });

    it('names the next call with its own parameters, without the place where it began', async () => {
      at.pages = [pageOf('c 1'), pageOf('c2')];
      const { headers } = await call('/tail?from=beginning&limit=7&filter=actionId:SL', {
        Host: 'audit.example',
      });
      const [, url = ''] = /^<(.*)>; rel="next"$/.exec(String(headers.link)) ?? [];
      expect([new URL(url).host, Object.fromEntries(new URL(url).searchParams)]).toEqual([
        'audit.example',
        { limit: '7', filter: 'actionId:SL', cursor: 'c 1' },
      ]);
      const [u, short] = [encodeURIComponent('ü'.repeat(480)), encodeURIComponent('ü'.repeat(100))];
      const names = ['databaseName', 'schemaName', 'objectName', 'applicationName', 'principalName'];
      const long = [`filter=databaseName:${u}`, `search=${u}`, ...names.map((name) => `${name}=${short}`)];
      const without = await call(`/tail?cursor=c1&${long.join('&')}`);
      expect([without.status, without.headers['x-next-cursor'], without.headers.link]).toEqual([
        200,
        'c2',
        undefined,
      ]);
    });

    it('has a head with the length of its answer, in the form that the caller takes', async () => {
      at.pages = [pageOf('c1', [arrived(1)])];
      const { headers, text } = await call('/tail?cursor=c0', { Accept: 'application/x-ndjson' }, 'HEAD');
      expect([headers['content-type'], text, headers.vary]).toEqual(['application/x-ndjson', '', 'Accept']);
      expect(Number(headers['content-length'])).toBeGreaterThan(100);
    });
  });

  describe('a run of a report', () => {
    const MAKE = expressPath(MAKE_ROUTE).replace(':reportId', 'log-ons');
    const RUN = expressPath(RUN_FILE_ROUTE).replace(':runId', '0b6fc3ab-2f2c-4c33-9d1b-3d5c4a0e8f11');

    it('is made by a request for it, and not by one for its head', async () => {
      expect((await head(`${MAKE}?format=csv`)).status).toBe(200);
      expect(at.made).toEqual([]);
      const { headers, text } = await call(`${MAKE}?format=csv`);
      expect([at.made.length, text, headers['content-length'], headers['x-report-run']]).toEqual([
        1,
        'file',
        '4',
        'run-1',
      ]);
      expect(headers).toMatchObject({
        'content-disposition': 'attachment; filename="report.csv"',
        'cache-control': 'no-store',
      });
      expect(at.noted.slice(1).map(({ outcome, rows }) => [outcome, rows])).toEqual([
        ['ok', null],
        ['ok', 5],
      ]);
    });

    it('is made by the person of a session, or else by the key', async () => {
      await call(MAKE);
      at.principal = { ...READER, session: { user: 'ada' } } as never;
      at.again = at.principal;
      await call(MAKE);
      expect(at.made.map(({ createdBy, holder }) => [createdBy, holder])).toEqual([
        ['auditor', 'key k1'],
        ['ada', 'user ada'],
      ]);
    });

    it('is not there where the report is not, or where the caller lost the right meanwhile', async () => {
      const other = await call(MAKE.replace('log-ons', 'no-report'));
      at.again = null;
      const lost = await call(MAKE);
      at.again = { ...READER, tenantIds: [8] } as never;
      const moved = await call(MAKE);
      expect([other.status, lost.status, moved.status, at.made.length]).toEqual([404, 401, 403, 2]);
      expect((await head(MAKE.replace('log-ons', 'no-report'))).status).toBe(404);
    });

    it('is not made to its end for a caller who has gone', async () => {
      let isMade = () => {};
      const begun = new Promise<void>((done) => {
        isMade = done;
      });
      at.whileMade = () => {
        isMade();
        return new Promise((done) => {
          gone = done;
        });
      };
      let gone = () => {};
      at.onGone = () => gone();
      await leave(MAKE, begun);
      await until(
        () => at.noted.length,
        (count) => count === 1,
      );
      expect([at.noted[0]?.outcome === 'ok', at.filesRead]).toEqual([false, 0]);
    });

    it('has its files, and their heads alone', async () => {
      const whole = await call(`${RUN}?format=pdf`);
      const alone = await head(`${RUN}?format=pdf`);
      expect([whole.text, alone.text, whole.headers['content-type']]).toEqual([
        'file',
        '',
        'application/pdf',
      ]);
      expect(alone.headers['content-length']).toBe('4');
      expect(at.noted.map(({ rows }) => rows)).toEqual([5, 5]);
    });
  });

  describe('an export', () => {
    it('states how many events it has, if they were counted, and ends its lease once it has them', async () => {
      const { headers, text } = await call('/export?format=ndjson&end=1');
      expect([headers['x-total-count'], text.trim().split('\n').length, at.exportsEnded > 0]).toEqual([
        '3',
        3,
        true,
      ]);
      expect(at.noted.map(({ rows }) => rows)).toEqual([null, 2]);
      at = new Entrance();
      at.counted = null;
      expect((await call('/export')).headers['x-total-count']).toBeUndefined();
    });

    it('has ended its lease when it ends: its caller may ask again at once', async () => {
      await call('/export');
      expect(at.inPackage.slice(0, 2)).toEqual(['lease ended', 'answer ended']);
    });

    it('has a head, for which no event is read', async () => {
      let reads = 0;
      at.batches = async function* () {
        reads++;
        yield [] as never[];
      };
      const { headers, text } = await head('/export?format=csv');
      expect([headers['x-total-count'], text, reads, at.exportsEnded > 0]).toEqual(['3', '', 0, true]);
    });

    it('breaks its connection where it fails after the beginning, and gives the lease back', async () => {
      at.batches = async function* () {
        yield [anEventInFull(1)] as never[];
        throw new DomainError('forbidden', { public: 'lost' });
      };
      await expect(call('/export')).rejects.toThrow();
      expect([at.exportsEnded > 0, at.noted.at(-1)]).toMatchObject([true, { outcome: 'forbidden', rows: 2 }]);
    });
  });

  describe('an evidence package', () => {
    it('has ended its lease when its last piece leaves: its caller may ask again at once', async () => {
      const { text } = await call('/package');
      expect(text.trim().split('\n')).toHaveLength(3);
      expect(at.inPackage.slice(0, -1)).toEqual(['piece', 'lease ended', 'last piece']);
    });

    it('says of the time and the filter of its question how complete their events are', async () => {
      await call('/package?startTime=2026-01-01T00:00:00Z&databaseName=Payroll');
      expect(at.covered).toMatchObject([{ from: '2026-01-01T00:00:00.0000000Z', to: null }]);
      expect(JSON.stringify(at.covered)).toContain('Payroll');
    });
  });
});
