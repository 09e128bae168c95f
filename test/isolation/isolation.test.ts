import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathOf } from '../../src/store/archive/file-place';
import { ENGINES } from '../support/engines';
import { casesOf } from '../support/share';
import { until } from '../support/until';
import { useLimits } from '../support/use-limits';
import { type Actor, actorsOf, type Call, call, isOperator } from './support/actors';
import { leaksIn, type MarkedTenant, secretsOf } from './support/marked-tenant';
import { mayUse, ROOT_FIELDS, rootFieldCall, unknownArguments } from './support/root-field-calls';
import { ROUTE_CASES, unknownParameters } from './support/route-calls';
import { routesOfTheService } from './support/routes-of-the-service';
import { COUNTS, openStage, type Stage } from './support/stage';
import { totalsOf } from './support/totals';

/**
 * Whether each call is made once, with every argument, and a refusal is asked for with one tenant's values only: a call
 * with all arguments reaches more, and a refusal comes before they are read. The server is asked in all ways in full.
 */
const isBrief = (engine: string) => casesOf(__filename) === 1 || engine === 'embedded';

/** A sentence about a call that told one tenant's value to another. */
type Leak = string;

describe('the ways into the service', () => {
  it('all have a case in this suite: root fields with their arguments, routes with their parameters', async () => {
    expect(unknownArguments()).toEqual([]);
    expect(unknownParameters()).toEqual([]);
    const known = ROUTE_CASES.map(({ route }) => route);
    expect(
      (await routesOfTheService()).filter((path) => !known.some((route) => route.endsWith(path))),
    ).toEqual([]);
  });
});

// The short share runs on one engine only: the server, which has more than one connection.
describe.each(ENGINES.slice(-casesOf(__filename)))('two tenants of one service on %s', (engine) => {
  // What is not signed yet is left without a proof.
  // A session makes more calls here than a page does in a minute.
  useLimits({ packageWaitMs: 0, liveMs: 150, sessionCallsPerMinute: 5_000 });
  let stage: Stage;
  let actors: Actor[];
  beforeAll(async () => {
    stage = await openStage(engine);
    actors = await actorsOf(stage);
  }, 300_000);
  afterAll(() => stage?.world.close());
  const targets = () => [stage.a, stage.b];

  /** Makes a call. @returns values of other tenants in its answer or its log lines, and the answer's text */
  async function leaksOf(
    actor: Actor,
    target: MarkedTenant,
    made: Call,
  ): Promise<{ leaks: Leak[]; text: string }> {
    const before = stage.world.logLines.length;
    const { answer, requestId } = await call(stage, actor, made);
    const headers = JSON.stringify([...answer.headers]);
    const asked = `${decodeURIComponent(made.path)} ${made.body ?? ''}`;
    const secretsBeside = (known: readonly MarkedTenant[]) =>
      targets().flatMap((tenant) => (known.includes(tenant) ? [] : secretsOf(tenant, isOperator(actor))));
    const told = leaksIn(`${headers}\n${answer.text}`, secretsBeside(actor.tenants));
    const lines = stage.world.logLines
      .slice(before)
      .filter((line) => line.includes(`"${requestId}"`))
      .join('\n');
    // A caller who asks for another's record names it in the path, so it may be in the log.
    const logged = leaksIn(lines, secretsBeside(actor.boundTo ?? actor.tenants)).filter(
      (secret) => !asked.includes(secret),
    );
    const about = `${actor.name}, ${made.method} ${asked.slice(0, 150)} for ${target.marks.event}`;
    return {
      leaks: [
        ...told.map((secret) => `${about}: told ${secret}`),
        ...logged.map((s) => `${about}: logged ${s}`),
      ],
      text: answer.text,
    };
  }

  // Operators come last, because they change what the others see.
  it.each(ROOT_FIELDS.map((one) => [one.field.name, one] as const))(
    'see nothing of each other through the root field %s, whoever calls it',
    async (_name, one) => {
      const found: Leak[] = [];
      for (const actor of actors) {
        const isPermitted = mayUse(one.field, actor);
        for (const target of isBrief(engine) && !isPermitted ? [stage.b] : targets()) {
          for (const withAll of isBrief(engine) ? [true] : [false, true]) {
            const { leaks, text } = await leaksOf(actor, target, rootFieldCall(one, target, withAll));
            found.push(...leaks);
            const { data, errors = [] } = JSON.parse(text);
            const value = data?.[one.field.name] ?? null;
            const isOwn = actor.tenants.includes(target) || isOperator(actor);
            if (!isPermitted) {
              expect([actor.name, value]).toEqual([actor.name, null]);
              const { code } = errors[0]?.extensions ?? {};
              expect([actor.name, code]).toEqual([
                actor.name,
                expect.stringMatching(/^(unauthorized|forbidden)$/),
              ]);
            } else if (isOwn && withAll && one.operation === 'query') {
              // The field must answer its permitted callers, else an empty answer would pass as no leak.
              expect({ actor: actor.name, errors, isThere: value !== null }).toEqual({
                actor: actor.name,
                errors: [],
                isThere: true,
              });
            }
          }
        }
      }
      expect(found).toEqual([]);
    },
    60_000,
  );

  it.each(ROUTE_CASES.map((one) => [one.route, one] as const))(
    'see nothing of each other through the route %s, whoever calls it',
    async (_route, one) => {
      const found: Leak[] = [];
      for (const actor of actors) {
        const shown = new Set<MarkedTenant>();
        for (const target of targets()) {
          for (const made of one.calls(target)) {
            const { leaks, text } = await leaksOf(actor, target, made);
            found.push(...leaks);
            for (const tenant of actor.tenants)
              if (leaksIn(text, secretsOf(tenant, false)).length > 0) shown.add(tenant);
          }
        }
        const expected = one.shows?.(actor) ? actor.tenants : [];
        const names = (tenants: Iterable<MarkedTenant>) =>
          [...tenants].map(({ marks }) => marks.event).sort();
        expect([actor.name, names(shown)]).toEqual([actor.name, names(expected)]);
      }
      expect(found).toEqual([]);
    },
    60_000,
  );

  it("get the same answer for another tenant's record as for a record that does not exist", async () => {
    const [reader] = actors as [Actor];
    const steady = (text: string) => text.replace(/isolation-\d+/g, '');
    for (const suffix of ['', '/proof']) {
      const path = (id: string) => `/api/v1/public/audit-activity/${id}${suffix}`;
      const ask = (id = '') => call(stage, reader, { method: 'GET', path: path(id) });
      const { answer: others } = await ask(stage.b.recordIds[0]);
      const { answer: unknown } = await ask(randomUUID().replace(/^(.{14})./, '$18'));
      expect([others.status, steady(others.text)]).toEqual([404, steady(unknown.text)]);
      expect((await ask(stage.a.recordIds[0])).answer.status).toBe(200);
    }
  });

  it('have totals of their own events only, and a key of both tenants gets the sum', async () => {
    const [a, b] = [COUNTS.a.kept, COUNTS.b.kept];
    const expected: Record<string, number> = { 'a key of A': a, 'a key of B': b, 'a key of both': a + b };
    for (const name of ['A', 'B', 'both'])
      expected[`a session of ${name}`] = expected[`a key of ${name}`] ?? -1;
    for (const actor of actors.filter(({ name }) => name in expected)) {
      const totals = await totalsOf(stage, actor);
      const wanted = expected[actor.name];
      expect([actor.name, totals]).toEqual([
        actor.name,
        Object.fromEntries(Object.keys(totals).map((key) => [key, wanted])),
      ]);
    }
    for (const [tenant, count] of [
      [stage.a, COUNTS.a],
      [stage.b, COUNTS.b],
    ] as const) {
      const { size, waitingEvents } = (await tenant.tenant.get('/audit-log')).body.data;
      // One entry more is of the file of the sealed week.
      expect([size, waitingEvents]).toEqual([count.kept + count.old + 1, 0]);
      const { removals } = (await tenant.tenant.get('/audit-log/removals')).body.data;
      expect(removals.map(({ events }: { events: number }) => events)).toEqual([count.old]);
    }
  });

  it("are told apart while the file of one's sealed week is gone", async () => {
    const { a, b, world, files } = stage;
    const copies = path.join(world.database.dataDir, 'archive', 'files');
    const file = path.join(files, pathOf({ tenantId: Number(b.tenant.tenantId), sha256: b.fileName }));
    await rename(file, `${file}.away`);
    await rm(path.join(copies, `${b.fileName}.parquet`), { force: true });
    const list = { method: 'GET', path: '/api/v1/public/audit-activity?pageSize=100' };
    for (const actor of actors.filter(({ kind, tenants }) => kind === 'public' && tenants.length > 0)) {
      const { leaks, text } = await leaksOf(actor, b, list);
      expect(leaks).toEqual([]);
      const isNamed = JSON.parse(text).data === undefined && text.includes('2025-12-29');
      expect([actor.name, isNamed]).toEqual([actor.name, actor.tenants.includes(b)]);
      expect(leaksIn(text, [a.fileName, b.fileName, files, copies])).toEqual([]);
    }
    await rename(`${file}.away`, file);
  });

  it('do not learn from duplicates what the other tenant has stored', async () => {
    const { a, b, world } = stage;
    const fresh = await world.tenant();
    expect(await fresh.ingest(b.events.slice(0, 3))).toMatchObject({ accepted: 3, duplicates: 0 });
    expect(await b.tenant.ingest(b.events.slice(0, 3))).toMatchObject({ accepted: 0, duplicates: 3 });
    expect(await a.tenant.ingest(a.events.slice(0, 3))).toMatchObject({ accepted: 0, duplicates: 3 });
  });

  it('are in no line of the log that belongs to no request', async () => {
    const { a, b, world } = stage;
    await until(
      () => world.logLines.length,
      (lines) => lines > 100,
    );
    const lines = world.logLines.filter((line) => !line.includes('"isolation-')).join('\n');
    const words = [a, b].flatMap(({ marks, logged }) => [
      marks.event,
      marks.statement,
      marks.admin,
      ...logged,
    ]);
    expect(leaksIn(lines, words)).toEqual([]);
  });
});
