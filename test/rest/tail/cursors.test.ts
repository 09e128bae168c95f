import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OPERATOR_KEY_FILE } from '../../../src/modules/keys/operator-key';
import { newCheckpointKeyPem } from '../../../src/store/log/evidence/note-key';
import { describeOnPostgres, ENGINES, ONE_ENGINE, temporaryFolder } from '../../support/engines';
import { anEvent } from '../../support/events';
import { QUICK_LOG, useLimits } from '../../support/use-limits';
import { useWorld } from '../../support/use-world';
import { type TestTenant, World } from '../../support/world';
import { expectError } from '../support/operations';
import { drain, idsOf, PATH, sequenced } from './support';

const ingest = (tenant: TestTenant, count: number, change: object = {}) =>
  tenant.ingest(Array.from({ length: count }, () => anEvent(change)));

describe.each(ENGINES)('the cursor of the tail on %s', (engine) => {
  useLimits(QUICK_LOG);
  const open = useWorld(engine);
  const two = async () => {
    const tenants = [await open.world.tenant(), await open.world.tenant()] as const;
    for (const tenant of tenants) await ingest(tenant, 30);
    for (const tenant of tenants) await sequenced(tenant, 30);
    return tenants;
  };
  const reader = (key: string) => ({
    get: (route: string, query: object | string = {}) =>
      open.world.get(route, key, { query: query as never }),
  });
  const keyOf = async (...tenants: TestTenant[]) =>
    (await open.world.key({ tenantIds: tenants.map(({ tenantId }) => tenantId) })).key;

  it('holds a position for each tenant of the key', async () => {
    const [a, b] = await two();
    const key = await keyOf(a, b);
    const first = await drain(reader(key) as never, { from: 'beginning', limit: 7 });
    expect(new Set(idsOf(first.items)).size).toBe(60);
    for (const tenant of [a, b]) {
      const own = first.items.filter(({ tenantId }) => tenantId === tenant.tenantId);
      expect(own.map(({ position }) => Number(position))).toEqual(Array.from({ length: 30 }, (_, i) => i));
    }
    await ingest(b, 5);
    await sequenced(b, 35);
    expect((await drain(reader(key) as never, { cursor: first.cursor })).items).toHaveLength(5);
  });

  it('serves tenants in turn, so that a busy tenant does not delay the others', async () => {
    const [a, b] = await two();
    const key = await keyOf(a, b);
    let query: object = { from: 'beginning' };
    const tenants: string[] = [];
    for (let i = 0; i < 4; i++) {
      const { body } = await reader(key).get(PATH, { ...query, limit: 1 });
      tenants.push(body.data[0].tenantId);
      query = { cursor: body.meta.nextCursor };
    }
    expect(tenants).toEqual([a, b, a, b].map(({ tenantId }) => tenantId));
  });

  it('keeps its place in a tenant that is disabled, and gives the events of the others meanwhile', async () => {
    const [a, b] = await two();
    const key = await keyOf(a, b);
    const switchTo = (tenant: TestTenant, isDisabled: boolean) =>
      isDisabled
        ? open.world.operate(
            'mutation($t: String!) { disableTenant(tenantId: $t, reason: "unpaid") { tenantId } }',
            { t: tenant.tenantId },
          )
        : open.world.operate('mutation($t: String!) { enableTenant(tenantId: $t) { tenantId } }', {
            t: tenant.tenantId,
          });
    const before = await drain(reader(key) as never, { from: 'beginning' });
    await ingest(a, 4);
    await sequenced(a, 34);
    const alone = await drain(reader(await keyOf(a)) as never, { from: 'beginning' });
    await switchTo(a, true);
    await ingest(b, 5);
    await sequenced(b, 35);
    const owners = (items: readonly { tenantId: string }[]) => items.map(({ tenantId }) => tenantId);

    const meanwhile = await drain(reader(key) as never, { cursor: before.cursor }, { include: 'sources' });
    expect(owners(meanwhile.items)).toEqual(Array(5).fill(b.tenantId));
    const begun = await drain(reader(key) as never, { from: 'beginning' });
    expect(owners(begun.items)).toEqual(Array(35).fill(b.tenantId));
    expect((await drain(reader(key) as never, { cursor: meanwhile.cursor })).items).toEqual([]);
    // It names no tenant that is in use.
    expectError(await reader(key).get(PATH, { cursor: alone.cursor }), 403, 'forbidden');
    // A key without the tenant learns nothing of it.
    const { key: other } = await open.world.key({ tenantIds: [b.tenantId] });
    expectError(await reader(other).get(PATH, { cursor: meanwhile.cursor }), 403, 'forbidden');

    await switchTo(a, false);
    const after = await drain(reader(key) as never, { cursor: meanwhile.cursor });
    expect(owners(after.items)).toEqual(Array(4).fill(a.tenantId));
    expect(owners((await drain(reader(key) as never, { cursor: begun.cursor })).items)).toEqual(
      Array(34).fill(a.tenantId),
    );
  });

  it('works with another key of its tenants, or of more, and never adds a tenant', async () => {
    const [a, b] = await two();
    const { cursor, items } = await drain(a, { from: 'beginning' });
    expect(items).toHaveLength(30);
    await ingest(a, 3);
    await sequenced(a, 33);
    const more = await drain(reader(await keyOf(a, b)) as never, { cursor });
    expect(more.items.map(({ tenantId }) => tenantId)).toEqual(Array(3).fill(a.tenantId));
  });

  it('is forbidden to a key that lacks one of its tenants', async () => {
    const [a, b] = await two();
    const { cursor } = await drain(reader(await keyOf(a, b)) as never, { from: 'beginning' });
    expectError(await a.get(PATH, { cursor }), 403, 'forbidden');
    const own = await drain(a, { from: 'beginning' });
    expectError(await b.get(PATH, { cursor: own.cursor }), 403, 'forbidden');
  });

  it('is refused, with what to do, if it was changed, cut or invented', async () => {
    const [a] = await two();
    const { cursor } = await drain(a, { from: 'beginning' });
    const other = cursor.endsWith('A') ? 'B' : 'A';
    const flipped = `${cursor.slice(0, 20)}${cursor[20] === 'x' ? 'y' : 'x'}${cursor.slice(21)}`;
    for (const changed of [
      flipped,
      cursor.slice(0, -3),
      `${cursor.slice(0, -1)}${other}`,
      `${cursor}AA`,
      'x',
      '1',
    ]) {
      const answer = await a.get(PATH, { cursor: changed });
      expectError(answer, 400, 'invalid_parameter');
      expect(answer.body.error.message).toContain('from=');
    }
  });

  it('is bound to its filters: others are refused, and the same ones in another form are not', async () => {
    const [a] = await two();
    const filter = { actionId: 'SL', startTime: '2026-01-01' };
    const { cursor } = await drain(a, { from: 'beginning' }, filter);
    for (const changed of [{}, { actionId: 'SL' }, { ...filter, actionId: 'UP' }, { ...filter, search: 'x' }])
      expectError(await a.get(PATH, { cursor, ...changed }), 400, 'invalid_parameter');
    const same = { startTime: '2026-01-01T00:00:00Z', actionId: 'SL', limit: 3, wait: 0 };
    expect((await a.get(PATH, { cursor, ...same })).status).toBe(200);
  });

  it.each([
    ['neither', {}],
    ['both', { cursor: 'x', from: 'now' }],
    ['no time', { from: 'yesterday' }],
    ['a limit too high', { from: 'now', limit: 5_001 }],
    ['a wait too long', { from: 'now', wait: 21 }],
    ['an unknown format', { from: 'now', format: 'xml' }],
    ['an order', { from: 'now', sortDirection: 'asc' }],
  ])('is one of two ways to begin: %s is refused', async (_title, query) => {
    const acme = await open.world.tenant();
    expectError(await acme.get(PATH, query as never), 400, 'invalid_parameter');
  });

  it('is named as missing together with all other problems', async () => {
    const acme = await open.world.tenant();
    const answer = await acme.get(PATH, { limit: 0, wait: 99, format: 'xml' });
    expectError(answer, 400, 'invalid_parameter');
    for (const part of ['cursor or from', 'limit', 'wait', 'format'])
      expect(answer.body.error.message).toContain(part);
  });

  it('says that the reader has caught up only if nothing is left', async () => {
    const acme = await open.world.tenant();
    await ingest(acme, 10);
    await sequenced(acme, 10);
    const { body } = await acme.get(PATH, { from: 'beginning', limit: 10 });
    expect(body.meta.caughtUp).toBe(true);
    const nine = await acme.get(PATH, { from: 'beginning', limit: 9 });
    expect(nine.body.meta.caughtUp).toBe(false);
  });
});

describe.each(ONE_ENGINE)('waiting calls of the tail on %s', (engine) => {
  useLimits(QUICK_LOG);
  const open = useWorld(engine);

  it('are limited to five for each key', async () => {
    const acme = await open.world.tenant();
    // The five calls that are admitted wait, so the refusal is the first answer.
    const calls = Array.from({ length: 6 }, () => acme.get(PATH, { from: 'now', wait: 20 }));
    expectError(await Promise.race(calls), 429, 'rate_limited');
    expect((await acme.get(PATH, { from: 'now' })).status).toBe(200);
    await ingest(acme, 1);
    const answers = await Promise.all(calls);
    const waited = answers.filter(({ status }) => status === 200);
    expect(waited.map(({ body }) => body.data.length)).toEqual([1, 1, 1, 1, 1]);
    expect((await acme.get(PATH, { from: 'now', wait: 1 })).status).toBe(200);
  });

  it('are answered when the service stops', async () => {
    const world = await World.open(engine);
    const acme = await world.tenant();
    const headers = { 'X-Api-Key': acme.key };
    const waiting = world.fetch(`/api/v1/public${PATH}?from=now&wait=20`, { headers });
    const begun = performance.now();
    await world.fetch(`/api/v1/public${PATH}?from=now`, { headers });
    await world.close();
    expect((await waiting).body.meta.caughtUp).toBe(true);
    expect(performance.now() - begun).toBeLessThan(18_000);
  });

  it('end when their key is revoked', async () => {
    const acme = await open.world.tenant();
    const waiting = acme.get(PATH, { from: 'now', wait: 3 });
    await open.world.operate('mutation($id: String!) { revokeApiKey(keyId: $id) { keyId } }', {
      id: acme.keyId,
    });
    expectError(await waiting, 401, 'unauthorized');
  });

  it('end without events when one of their tenants is disabled, and the next call goes on without it', async () => {
    const [acme, other] = [await open.world.tenant(), await open.world.tenant()];
    const { key } = await open.world.key({ tenantIds: [acme.tenantId, other.tenantId] });
    const get = (query: object) => open.world.get(PATH, key, { query: query as never });
    const waiting = get({ from: 'now', wait: 3 });
    await open.world.operate(
      'mutation($t: String!) { disableTenant(tenantId: $t, reason: "unpaid") { tenantId } }',
      { t: acme.tenantId },
    );
    const { status, body } = await waiting;
    expect([status, body.data]).toEqual([200, []]);
    await ingest(other, 2);
    await sequenced(other, 2);
    expect((await get({ cursor: body.meta.nextCursor })).body.data).toHaveLength(2);
  });
});

describeOnPostgres('the tail of two instances', () => {
  useLimits(QUICK_LOG);

  it('continues on the other instance, whatever checkpoint key either of both has', async () => {
    const one = await World.open('postgresql');
    const file = path.join(one.database.dataDir, 'checkpoint.key');
    const acme = await one.tenant();
    await ingest(acme, 20);
    await sequenced(acme, 20);
    const dataDir = await temporaryFolder();
    const two = await World.on({ ...one.database }, { checkpointKeyFile: file });
    const { body } = await acme.get(PATH, { from: 'beginning', limit: 8 });
    const rest = await two.get(PATH, acme.key, { query: { cursor: body.meta.nextCursor } });
    expect(rest.body.data).toHaveLength(12);
    await two.service.close();
    const otherKey = path.join(dataDir, 'other.key');
    await writeFile(otherKey, newCheckpointKeyPem());
    await copyFile(path.join(one.database.dataDir, OPERATOR_KEY_FILE), path.join(dataDir, OPERATOR_KEY_FILE));
    const three = await World.on({ ...one.database, dataDir }, { checkpointKeyFile: otherKey });
    const other = await three.get(PATH, acme.key, { query: { cursor: body.meta.nextCursor } });
    expect(other.body.data).toHaveLength(12);
    await three.service.close();
    await one.close();
  });
});
