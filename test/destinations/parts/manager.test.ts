import { randomBytes } from 'node:crypto';
import { NetworkGuard } from '../../../src/delivery/network-guard';
import { SecretBox } from '../../../src/delivery/secret-box';
import { publicKeyOf } from '../../../src/delivery/standard-webhooks';
import { parseParameters } from '../../../src/event/parse-parameters';
import { LIMITS } from '../../../src/limits';
import { declaredTypes } from '../../../src/modules/destinations/declared-types';
import type { Deliveries } from '../../../src/modules/destinations/deliveries';
import {
  type Destination,
  lagSeconds,
  ownerOfSecrets,
  shownState,
} from '../../../src/modules/destinations/destination';
import type { DestinationStore } from '../../../src/modules/destinations/destination.store';
import { SET_ASIDE } from '../../../src/modules/destinations/destination-parameters';
import { DestinationManager } from '../../../src/modules/destinations/manage-destinations';
import type { StoredSecrets } from '../../../src/modules/destinations/types';
import { AN_ATTEMPT } from '../../support/attempt';
import { TEST_EPOCH, testEpoch } from '../../support/epoch';
import { SharedDestination } from './support/shared-destination';

const BEGIN_MS = Date.parse('2026-01-05T08:00:00Z');
const MINUTE_MS = 60_000;
const LOG_SIZE = 12;
const unused = () => Promise.reject(new Error('not expected to be called'));

let nowMs: number;
let shared: SharedDestination;
let manager: DestinationManager;
let inserted: Destination[];
let isFull: boolean;
let replayed: number[];
/** What was sent for a test of a destination that is not stored, and for which tenants the access log says so. */
let tried: Parameters<Deliveries['tryOut']>[];
let noted: number[];
/** How often somebody else changes the destination first. */
let meanwhile = 0;
const names: Readonly<Record<string, string>> = {
  'inner.example': '10.0.0.1',
  'outer.example': '93.184.215.14',
};
beforeEach(() => {
  [nowMs, inserted, isFull, replayed] = [BEGIN_MS, [], false, []];
  [tried, noted] = [[], []];
  const open = { signing: [{ secret: 'whsec_first' }], query: '?a=1', headers: { 'X-A': 'b' } };
  shared = new SharedDestination([], { settings: { signature: 'v1' }, open, logSize: LOG_SIZE });
  const store = {
    find: async () => shared.row,
    noteTrial: async (tenantId: number) => noted.push(tenantId),
    insert: async (row: Destination) => {
      inserted.push(row);
      return !isFull;
    },
    replay: async (_key: Destination, position: number) => replayed.push(position),
    update: async (_was: Destination, next: Partial<Destination>) => {
      if (meanwhile > 0) {
        meanwhile -= 1;
        return false;
      }
      shared.row = { ...shared.row, ...next };
      return true;
    },
    putSecrets: async (was: Destination, sealed: Buffer) => {
      if (meanwhile > 0) {
        meanwhile -= 1;
        return false;
      }
      if (!was.secrets.equals(shared.row.secrets)) return false;
      shared.row = { ...shared.row, secrets: sealed };
      return true;
    },
  } as unknown as DestinationStore;
  const guard = new NetworkGuard(['10.0.0.0/8'], async (host) => {
    const address = names[host];
    if (address === undefined) throw new Error('ENOTFOUND');
    return [{ address, family: 4 }];
  });
  manager = new DestinationManager({
    store,
    box: shared.box,
    guard,
    epoch: testEpoch(),
    nowMs: () => nowMs,
    tenants: { existing: async (ids) => ids.filter((id) => id === 7) },
    feed: { sizes: async () => new Map([[7, LOG_SIZE]]), positionAt: async (_, at) => at.getUTCDate() },
    deliveries: {
      sendOne: unused,
      tryOut: async (...trial) => {
        tried.push(trial);
        return { kind: 'accepted' };
      },
    },
  });
});

const REQUEST = {
  tenantId: '7',
  name: 'siem',
  type: 'webhook',
  url: 'https://outer.example/x?token=abcd',
  filter: '',
  format: 'native',
  settings: {},
  secrets: {},
};
const create = (change: object, from = 'now') => manager.create({ ...REQUEST, ...change }, from, AN_ATTEMPT);
const secretsOf = (row: Destination | undefined) =>
  JSON.parse(
    shared.box.open((row as Destination).secrets, ownerOfSecrets(row as Destination)),
  ) as StoredSecrets;

describe('a new destination', () => {
  it.each([
    ['beginning', 0],
    ['now', LOG_SIZE],
    ['2026-01-05T08:00:00Z', 5],
  ])('from %s begins at position %i', async (from, position) => {
    await create({}, from);
    expect(inserted).toMatchObject([{ tenantId: 7, position, goEpoch: TEST_EPOCH.epoch }]);
  });

  it('keeps the query of its URL with its secrets, and shows its signing secret once', async () => {
    const { destinationId, secret, publicKey } = await create({ secrets: { headers: { 'X-A': 'b' } } });
    const [row] = inserted;
    expect([row?.destinationId, row?.settings.url, publicKey]).toEqual([
      destinationId,
      'https://outer.example/x',
      null,
    ]);
    expect(secretsOf(row)).toEqual({ headers: { 'X-A': 'b' }, query: '?token=abcd', signing: [{ secret }] });
  });

  it('that signs with a key pair shows the public key alone', async () => {
    const { secret, publicKey } = await create({ settings: { signature: 'v1a' } });
    expect([secret, publicKey]).toEqual([
      null,
      publicKeyOf(secretsOf(inserted[0]).signing?.[0]?.secret ?? ''),
    ]);
    expect(manager.publicKey(inserted[0] as Destination)).toBe(publicKey);
  });

  it.each([
    ['http://inner.example/', null],
    ['http://outer.example/', 'without encryption'],
    ['https://unknown.example/', null],
    ['http://unknown.example/', 'without encryption'],
    ['https://127.0.0.1/', 'private or reserved'],
    ['https://[::1]/', 'private or reserved'],
  ])('may lead to %s or not: %s', async (url, problem) => {
    const made = create({ url }).then(
      () => null,
      (error: Error) => error.message,
    );
    expect(await made).toEqual(problem && expect.stringContaining(problem));
  });

  it('of RELP without encryption leads to allowed networks alone', async () => {
    const relp = (host: string) => create({ type: 'relp', url: `relp://${host}:20514` });
    await relp('inner.example');
    await expect(relp('outer.example')).rejects.toThrow('without encryption');
    await create({ type: 'relp', url: 'relp+tls://outer.example:20514' });
  });

  it('is refused with every problem, and where the tenant has too many', async () => {
    await expect(create({ tenantId: '8', name: '', url: 'https://[::1]/' }, 'yesterday')).rejects.toThrow(
      /^tenant 8 does not exist; from must be .*; name /,
    );
    isFull = true;
    await expect(create({})).rejects.toThrow(
      `a tenant has at most ${LIMITS.destinationsPerTenantMax} destinations`,
    );
  });

  it('is refused with a bounded number of problems', async () => {
    const headers = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`X-${i}`, 'a\n']));
    const message = await create({ secrets: { headers } }).then(String, (error: Error) => error.message);
    expect(message).toMatch(/and \d+ more\.$/);
    expect(message.length).toBeLessThan(20_000);
  });
});

describe('a test of a destination that is not stored', () => {
  it('sends to it with its secrets, and is in the access log of the tenant', async () => {
    const { name: _, filter: __, ...given } = REQUEST;
    const secrets = { headers: { 'X-A': 'b' } };
    expect(await manager.tryNew({ ...given, secrets }, AN_ATTEMPT)).toEqual({ kind: 'accepted' });
    const [sent, tenantId, id, item] = tried[0] ?? [];
    expect(sent).toMatchObject({
      type: 'webhook',
      settings: { url: 'https://outer.example/x', encoding: 'json' },
      secrets: { ...secrets, query: '?token=abcd', signing: [{ secret: expect.stringMatching(/^whsec_/) }] },
    });
    expect([tenantId, id, item?.actionId, noted, inserted]).toEqual([
      ...[7, expect.stringMatching(/^test_/), 'TEST', [7], []],
    ]);
  });

  it('sends nothing if anything is wrong with it', async () => {
    const given = { ...REQUEST, tenantId: '8', url: 'https://[::1]/', settings: { colour: 1 } };
    await expect(manager.tryNew(given, AN_ATTEMPT)).rejects.toThrow(/tenant 8 .*colour/s);
    await expect(manager.tryNew({ ...REQUEST, url: 'https://[::1]/' }, AN_ATTEMPT)).rejects.toThrow(
      'private or reserved',
    );
    expect(tried).toEqual([]);
  });

  it('sends as after a change, with stored secrets only where they were given for', async () => {
    const { destinationId } = shared.row;
    shared.row = { ...shared.row, settings: { url: 'https://outer.example/x', signature: 'v1' } };
    const url = 'https://unknown.example/';
    await expect(manager.tryChange(destinationId, { url }, AN_ATTEMPT)).rejects.toThrow(
      'secrets must be given again',
    );
    expect(tried).toEqual([]);
    await manager.tryChange(destinationId, { settings: { encoding: 'ndjson' } }, AN_ATTEMPT);
    await manager.tryChange(destinationId, { url, secrets: {} }, AN_ATTEMPT);
    expect(tried.map(([{ settings, secrets }]) => [settings.url, settings.encoding, secrets])).toEqual([
      [
        ...['https://outer.example/x', 'ndjson'],
        { signing: [{ secret: 'whsec_first' }], query: '?a=1', headers: { 'X-A': 'b' } },
      ],
      [url, 'json', { signing: [{ secret: 'whsec_first' }] }],
    ]);
    expect(noted).toEqual([shared.row.tenantId, shared.row.tenantId]);
  });
});

describe('the declared types', () => {
  const fieldOf = (type: string, name: string) =>
    declaredTypes()
      .find((one) => one.type === type)
      ?.fields.find((field) => field.name === name);

  it('say of each field what a form needs', () => {
    for (const { type, fields } of declaredTypes())
      for (const { name, label, doc } of fields)
        expect([type, name, label === name, doc === '']).toEqual([type, name, false, false]);
    expect(fieldOf('webhook', 'encoding')).toMatchObject({
      kind: 'choice',
      values: ['json', 'ndjson'],
      default: 'json',
      isRequired: false,
      isSecret: false,
    });
    expect(fieldOf('webhook', 'headers')).toMatchObject({ kind: 'headers', isSecret: true });
    expect(fieldOf('splunk-hec', 'acknowledge')).toMatchObject({ kind: 'switch', default: 'false' });
    expect(fieldOf('splunk-hec', 'token')).toMatchObject({ kind: 'text', isRequired: true, isSecret: true });
    expect(fieldOf('s3', 'bucket')).toMatchObject({ isRequired: true, isSecret: false, default: null });
    expect(fieldOf('syslog', 'clientKey')).toMatchObject({ kind: 'lines', isRequired: false });
    expect(fieldOf('elasticsearch', 'ca')).toMatchObject({ kind: 'lines', isSecret: false });
  });
});

it('events that were set aside are shown up to a number of them', () => {
  const { destinationId } = shared.row;
  for (const first of [0, LIMITS.destinationSetAsidePageMax + 1])
    expect(() => parseParameters(SET_ASIDE, { destinationId, first })).toThrow(
      'first must be a whole number from 1 to',
    );
});

describe('a change', () => {
  const update = (change: object) => manager.update(shared.row.destinationId, change, AN_ATTEMPT);
  const splunk = (open: StoredSecrets & { readonly token?: string }) => {
    const settings = { url: 'https://outer.example/x', index: 'i', acknowledge: false, sourcetype: 't' };
    const secrets = shared.box.seal(JSON.stringify(open), ownerOfSecrets(shared.row));
    shared.row = { ...shared.row, type: 'splunk-hec', settings, secrets, position: 5, filter: 'actionId:SL' };
  };
  beforeEach(() => splunk({ token: 'hec-token' }));

  it('keeps what it does not name: settings, secrets, filter, position', async () => {
    const { secrets } = shared.row;
    await update({ url: null, name: null, secrets: null, settings: { omitEmpty: true, index: 'j' } });
    expect(shared.row).toMatchObject({
      position: 5,
      filter: 'actionId:SL',
      format: 'native',
      settings: { url: 'https://outer.example/x', index: 'j', omitEmpty: true, sourcetype: 't' },
      secrets,
    });
    await update({ settings: { omitEmpty: null, index: null }, filter: '', format: 'ocsf', name: 'n' });
    expect(shared.row).toMatchObject({ name: 'n', filter: '', format: 'ocsf' });
    expect(shared.row.settings).toEqual({
      url: 'https://outer.example/x',
      acknowledge: false,
      sourcetype: 't',
    });
  });

  it.each([
    ['https://other.example/x', 'secrets must be given again'],
    ['https://outer.example:8088/x', 'secrets must be given again'],
    ['https://outer.example/y', null],
  ])('to %s sends no secret to a server that it was not given for', async (url, problem) => {
    const done = update({ url }).then(
      () => null,
      (error: Error) => error.message,
    );
    expect(await done).toEqual(problem && expect.stringContaining(problem));
    await update({ url, secrets: { token: 'another' } });
    expect(secretsOf(shared.row)).toEqual({ token: 'another' });
    expect(shared.row.settings.url).toBe(url);
  });

  it('of the login URL sends no secret to a server that it was not given for', async () => {
    const settings = {
      url: 'https://outer.example/',
      azureTenant: '11111111-2222-3333-4444-555555555555',
      clientId: '66666666-7777-8888-9999-000000000000',
      dcr: `dcr-${'0a'.repeat(16)}`,
      loginUrl: 'https://login.example',
    };
    const secrets = shared.box.seal(JSON.stringify({ clientSecret: 'c1' }), ownerOfSecrets(shared.row));
    shared.row = { ...shared.row, type: 'azure-monitor', settings, secrets };
    for (const loginUrl of ['https://thief.example', 'http://login.example', null])
      await expect(update({ settings: { loginUrl } })).rejects.toThrow('secrets must be given again');
    await update({ settings: { loginUrl: 'https://login.example/v2' } });
    await update({ settings: { loginUrl: 'https://other.example' }, secrets: { clientSecret: 'c2' } });
    expect(secretsOf(shared.row)).toEqual({ clientSecret: 'c2' });
  });

  it('of the URL of a webhook keeps its signing secrets, and the query is that of the new URL', async () => {
    const open = { signing: [{ secret: 'whsec_first' }], query: '?a=1' };
    const secrets = shared.box.seal(JSON.stringify(open), ownerOfSecrets(shared.row));
    const settings = { url: 'https://outer.example/', signature: 'v1', encoding: 'json' };
    shared.row = { ...shared.row, type: 'webhook', settings, secrets };
    await update({ settings: { encoding: 'ndjson' } });
    expect(secretsOf(shared.row)).toEqual(open);
    await update({ url: 'https://unknown.example/?b=2' });
    expect(secretsOf(shared.row)).toEqual({ ...open, query: '?b=2' });
    await update({ url: 'https://unknown.example/' });
    expect(secretsOf(shared.row)).toEqual({ signing: open.signing });
    await expect(update({ url: 'https://127.0.0.1/' })).rejects.toThrow('private or reserved');
  });

  it('is refused with every problem, and changes nothing', async () => {
    const before = shared.row;
    await expect(
      update({ name: '', format: 'xml', filter: '(', settings: { colour: 1 }, url: 'ftp://x' }),
    ).rejects.toThrow(/name .*filter .*format .*url .*colour/s);
    await expect(update({ settings: [1] })).rejects.toThrow('settings');
    await expect(update({ secrets: { tokens: 'x' } })).rejects.toThrow('secrets.token: is missing');
    await expect(update({})).rejects.toThrow('give what is to be changed');
    shared.row = {
      ...shared.row,
      type: 'elasticsearch',
      settings: { url: 'https://outer.example/', index: 'i' },
    };
    await expect(update({ format: 'cef', secrets: {} })).rejects.toThrow(
      'must be native, ocsf, ecs for elasticsearch',
    );
    expect(shared.row.settings).not.toBe(before.settings);
  });

  it('is made again on what others changed first, and gives up when that goes on', async () => {
    meanwhile = 2;
    await update({ name: 'n' });
    expect(shared.row.name).toBe('n');
    meanwhile = 3;
    await expect(update({ name: 'm' })).rejects.toThrow('Repeat the request');
    meanwhile = 0;
  });
});

describe('a replay', () => {
  const replay = (position: string | null, from: string | null = null) =>
    manager.replay(shared.row.destinationId, { position, from }, AN_ATTEMPT);

  it('goes to a position up to the end of the log, or to a time', async () => {
    for (const [position, from] of [
      ['0'],
      [String(LOG_SIZE)],
      [null, 'beginning'],
      [null, '2026-01-05T08:00:00Z'],
    ])
      await replay(position ?? null, from);
    expect(replayed).toEqual([0, LOG_SIZE, 0, 5]);
  });

  it.each([
    [String(LOG_SIZE + 1), null, `position must be at most ${LOG_SIZE}`],
    ['-1', null, 'position must be a position of the log'],
    [null, 'yesterday', 'from must be'],
    ['1', 'now', 'either position or from'],
    [null, null, 'either position or from'],
  ])('does not go to %s, %s', async (position, from, problem) => {
    await expect(replay(position, from)).rejects.toThrow(problem);
    expect(replayed).toEqual([]);
  });
});

it('the lag of a destination counts from when nothing was left, and else from its beginning', () => {
  const row = { ...shared.row, createdAt: new Date(BEGIN_MS - 50_000), position: 3 };
  expect(lagSeconds(row, BEGIN_MS)).toBe(50);
  expect(lagSeconds({ ...row, caughtUpAt: new Date(BEGIN_MS - 7_500) }, BEGIN_MS)).toBe(7.5);
  expect(lagSeconds({ ...row, caughtUpAt: new Date(BEGIN_MS + 1) }, BEGIN_MS)).toBe(0);
  expect(lagSeconds({ ...row, position: LOG_SIZE }, BEGIN_MS)).toBe(0);
});

it.each([
  ['active', 0, false, 'active'],
  ['active', 1, false, 'failing'],
  ['active', 1, true, 'paused'],
  ['paused', 1, false, 'paused'],
] as const)(
  'a destination that is %s and has failed %i times is shown, held back: %s, as %s',
  (state, attempts, isHeld, shown) => {
    expect(shownState({ ...shared.row, state, attempts }, isHeld)).toBe(shown);
  },
);

describe('secrets of a webhook that are rotated again and again', () => {
  const stored = () =>
    JSON.parse(shared.box.open(shared.row.secrets, ownerOfSecrets(shared.row))) as StoredSecrets;
  /** Minutes until each secret ends, newest first. */
  const ends = () =>
    (stored().signing ?? []).map(({ until }) => until && (Date.parse(until) - BEGIN_MS) / MINUTE_MS);
  const rotate = (minute: number, overlapMinutes: number) => {
    nowMs = BEGIN_MS + minute * MINUTE_MS;
    return manager.rotateSecret(shared.row.destinationId, { overlapMinutes, secrets: null }, AN_ATTEMPT);
  };

  it('end when their own overlap ends: a later rotation makes none live longer', async () => {
    const { overlapEndsAt } = await rotate(0, 10);
    expect(overlapEndsAt).toEqual(new Date(BEGIN_MS + 10 * MINUTE_MS));
    expect(ends()).toEqual([undefined, 10]);
    await rotate(5, 60);
    expect(ends()).toEqual([undefined, 65, 10]);
  });

  it('end earlier if a later rotation has a shorter overlap, and at once without one', async () => {
    await rotate(0, 60);
    await rotate(5, 10);
    expect(ends()).toEqual([undefined, 15, 15]);
    await rotate(6, 0);
    expect(ends()).toEqual([undefined, 6, 6]);
  });

  it('are new ones alone where the key of the former ones is lost; nothing else of it changes before', async () => {
    const lost = new SecretBox([{ id: '99999999', bytes: randomBytes(32) }]);
    shared.row = { ...shared.row, secrets: lost.seal('{"query":"?a=1"}', ownerOfSecrets(shared.row)) };
    await expect(
      manager.update(shared.row.destinationId, { name: 'siem' }, AN_ATTEMPT),
    ).rejects.toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining('docs/operate.md'),
    });
    const { secret } = await rotate(5, 10);
    expect(stored()).toEqual({ signing: [{ secret }] });
  });

  it('are dropped when they have ended, and never more than three', async () => {
    await rotate(0, 10);
    await rotate(10, 30);
    expect(ends()).toEqual([undefined, 40]);
    await rotate(11, 30);
    await rotate(12, 30);
    expect(ends()).toEqual([undefined, 42, 41]);
    expect(stored()).toMatchObject({ query: '?a=1', headers: { 'X-A': 'b' } });
  });

  it('are new ones each time, and are shown once', async () => {
    const shownSecrets = [await rotate(0, 5), await rotate(1, 5)].map(({ secret }) => secret);
    const [, second] = stored().signing ?? [];
    expect(new Set([...shownSecrets, 'whsec_first']).size).toBe(3);
    expect([stored().signing?.[0]?.secret, second?.secret]).toEqual([...shownSecrets].reverse());
  });

  it('all sign where two people rotate them at once, or one of the two is told to try again', async () => {
    const both = await Promise.all([rotate(0, 5), rotate(0, 5)]);
    const signing = (stored().signing ?? []).map(({ secret }) => secret);
    expect(signing).toEqual(expect.arrayContaining(both.map(({ secret }) => secret)));
    meanwhile = 3;
    await expect(rotate(1, 5)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect((stored().signing ?? []).map(({ secret }) => secret)).toEqual(signing);
  });

  it('have the public key of the newest, where they have one', async () => {
    shared.row = { ...shared.row, settings: { ...shared.row.settings, signature: 'v1a' } };
    const keys = [await rotate(0, 5), await rotate(1, 5)].map(({ publicKey }) => publicKey);
    expect(manager.publicKey(shared.row)).toBe(keys[1]);
    expect(keys[1]).not.toBe(keys[0]);
  });

  it.each([-1, LIMITS.keyOverlapMinutesMax + 1])(
    'are not rotated with an overlap of %i minutes',
    async (minutes) => {
      await expect(rotate(0, minutes)).rejects.toThrow(`from 0 to ${LIMITS.keyOverlapMinutesMax}`);
      await rotate(0, LIMITS.keyOverlapMinutesMax);
    },
  );
});

it('secrets of other types are replaced at once by those that are given', async () => {
  const open = { token: 'old', query: '?a=1' };
  shared.row = {
    ...shared.row,
    type: 'splunk-hec',
    secrets: shared.box.seal(JSON.stringify(open), ownerOfSecrets(shared.row)),
  };
  const rotate = (secrets: unknown) =>
    manager.rotateSecret(shared.row.destinationId, { overlapMinutes: 5, secrets }, AN_ATTEMPT);
  await expect(rotate(null)).rejects.toThrow('needs its new secrets');
  await expect(rotate({ tokens: 'new' })).rejects.toThrow('secrets.token: is missing');
  expect(await rotate({ token: 'new' })).toMatchObject({
    secret: null,
    publicKey: null,
    overlapEndsAt: null,
  });
  expect(secretsOf(shared.row)).toEqual({ token: 'new', query: '?a=1' });
});
