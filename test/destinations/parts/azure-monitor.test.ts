import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { NetworkGuard } from '../../../src/delivery/network-guard';
import { FIELD_NAMES } from '../../../src/event/fields';
import type { Item } from '../../../src/modules/destinations/batch';
import { checkRequest } from '../../../src/modules/destinations/destination-request';
import { openSender } from '../../../src/modules/destinations/senders/open-sender';
import { itemMaker, messageItem, testItem } from '../../../src/modules/destinations/to-item';
import type { ArrivedEvent } from '../../../src/store/log/arrivals/arrival-reader';
import { Receiver } from '../support/receiver';
import { StrictAzure } from '../support/strict-azure';

const NOW_MS = Date.parse('2026-01-05T08:00:00Z');
const OF = {
  tenant: '11111111-2222-3333-4444-555555555555',
  clientId: '66666666-7777-8888-9999-000000000000',
  secret: 'client~secret.value',
  dcr: `dcr-${'0a'.repeat(16)}`,
  stream: 'Custom-SqlServerAudit_CL',
};

describe('the sender of Azure Monitor', () => {
  let receiver: Receiver;
  let nowMs: number;
  beforeEach(async () => {
    receiver = await Receiver.open();
    nowMs = NOW_MS;
  });
  afterEach(() => receiver.close());

  const requestOf = (change: object = {}) => ({
    tenantId: '7',
    name: 'sentinel',
    type: 'azure-monitor',
    url: receiver.url,
    from: 'now',
    filter: '',
    format: 'native',
    settings: { azureTenant: OF.tenant, clientId: OF.clientId, dcr: OF.dcr, loginUrl: receiver.url },
    secrets: { clientSecret: OF.secret },
    ...change,
  });
  const senderOf = (azure: StrictAzure, clientSecret = OF.secret) => {
    receiver.answers = (request) => azure.answer(request);
    const result = checkRequest(requestOf());
    if ('problems' in result) throw new Error(JSON.stringify(result.problems));
    const settings = { ...result.checked.settings, url: receiver.url };
    const parts = { guard: new NetworkGuard(['127.0.0.1']), nowMs: () => nowMs };
    return openSender('azure-monitor', settings, { clientSecret } as never, parts);
  };
  const itemOf = (position: number, statement: string | null = 'SELECT 1'): Item => {
    const event = {
      ...Object.fromEntries(FIELD_NAMES.map((name) => [name, null])),
      recordId: `record ${position}`,
      tenantId: '7',
      actionId: 'SL',
      succeeded: true,
      eventTime: '2026-01-05T07:00:00.1234567Z',
      serverInstanceName: 'SQL01\\PAYROLL',
      statement,
      additional: { sessionId: 55 },
    };
    const arrived = { position, event, receivedAt: '2026-01-05T07:00:01.000Z' } as unknown as ArrivedEvent;
    return itemMaker('', 'native')(arrived) as Item;
  };
  const batchOf = (items: readonly Item[]) => ({
    id: 'msg_1',
    tenantId: 7,
    epoch: '',
    mark: '',
    from: 0,
    to: items.length,
    items,
  });
  const { signal } = new AbortController();

  it('sends rows with their own time, under names that Azure Monitor does not keep for itself', async () => {
    const azure = new StrictAzure(OF);
    const sender = senderOf(azure);
    expect(await sender.send(batchOf([itemOf(0), itemOf(1)]), signal)).toEqual({ kind: 'accepted' });
    expect(azure.rows[1]).toEqual({
      TimeGenerated: '2026-01-05T07:00:00.1234567Z',
      EventTime: '2026-01-05T07:00:00.1234567Z',
      RecordId: 'record 1',
      AuditTenantId: '7',
      ActionId: 'SL',
      Succeeded: true,
      ServerInstanceName: 'SQL01\\PAYROLL',
      Statement: 'SELECT 1',
      Additional: { sessionId: 55 },
      SessionId: '55',
      ReceivedAt: '2026-01-05T07:00:01.000Z',
      Position: '1',
      Computer: 'SQL01',
      InstanceName: 'PAYROLL',
    });
    const message = messageItem(
      { id: 'alert_1', at: new Date(NOW_MS), severity: 3, content: { a: 1 } },
      'native',
    );
    expect(await sender.send(batchOf([testItem(7, 'native', new Date(NOW_MS)), message]), signal)).toEqual({
      kind: 'accepted',
    });
    expect(azure.rows.slice(2)).toMatchObject([
      { ActionId: 'TEST', Test: true },
      { RecordId: 'alert_1', ActionId: 'ALERT', Statement: '{"a":1}' },
    ]);
    sender.close();
  });

  it('fetches a token once for many calls, anew before it ends, and anew when it is refused', async () => {
    const azure = new StrictAzure(OF);
    const sender = senderOf(azure);
    const send = () => sender.send(batchOf([itemOf(0)]), signal);
    await send();
    nowMs += (3_600 - 301) * 1_000;
    await send();
    expect(azure.tokens).toBe(1);
    nowMs += 2_000;
    await send();
    expect(azure.tokens).toBe(2);
    azure.revoke();
    expect(await send()).toEqual({ kind: 'accepted' });
    expect([azure.tokens, azure.rows.length]).toEqual([3, 4]);
    sender.close();
  });

  it('makes calls of at most 1 MB, compressed and not, also of texts that cannot be compressed', async () => {
    const azure = new StrictAzure(OF);
    const sender = senderOf(azure);
    const items = Array.from({ length: 9 }, (_, i) => itemOf(i, randomBytes(150_000).toString('base64')));
    expect(await sender.send(batchOf([...items, itemOf(9, '漢'.repeat(200_000))]), signal)).toEqual({
      kind: 'accepted',
    });
    expect(azure.rows.map(({ Position }) => Position)).toEqual([...Array(10).keys()].map(String));
    expect(azure.calls.length).toBeGreaterThan(2);
    sender.close();
  });

  it('halves what is too large for the receiver, and gives up only events that are too large alone', async () => {
    const azure = new StrictAzure(OF, 2);
    const sender = senderOf(azure);
    const items = [itemOf(0), itemOf(1), itemOf(2, 'x'.repeat(1_100_000)), itemOf(3), itemOf(4)];
    expect(await sender.send(batchOf(items), signal)).toMatchObject({
      kind: 'accepted',
      refused: [{ index: 2, message: expect.stringContaining('longer than') }],
    });
    expect(azure.rows.map(({ Position }) => Position)).toEqual(['0', '1', '3', '4']);
    expect(await sender.send(batchOf([itemOf(2, 'x'.repeat(1_100_000))]), signal)).toMatchObject({
      kind: 'refused',
    });
    sender.close();
  });

  it('takes an event alone that fills a call with its brackets, and none of a byte more', async () => {
    const azure = new StrictAzure(OF);
    const sender = senderOf(azure);
    const send = (chars: number) => sender.send(batchOf([itemOf(0, 'x'.repeat(chars))]), signal);
    await send(1);
    const others = JSON.stringify(azure.rows[0]).length - 1;
    const most = 1024 * 1024 - 4 * 1024 - '[]'.length - others;
    expect(await send(most)).toEqual({ kind: 'accepted' });
    expect(await send(most + 1)).toMatchObject({ kind: 'refused' });
    sender.close();
  });

  it('waits as long as it is told, and shows neither the secret nor a token', async () => {
    const azure = new StrictAzure(OF);
    const sender = senderOf(azure);
    const send = () => sender.send(batchOf([itemOf(0)]), signal);
    azure.next.push({ status: 429, headers: { 'retry-after': '17' }, body: 'slow token-number-1' });
    expect(await send()).toEqual({ kind: 'failed', message: 'HTTP 429: slow ***', retryAfterMs: 17_000 });
    azure.next.push({ status: 403, body: 'no role' });
    expect(await send()).toEqual({ kind: 'failed', message: 'HTTP 403: no role' });
    sender.close();
    const refused = await senderOf(new StrictAzure({ ...OF, secret: 'another' })).send(
      batchOf([itemOf(0)]),
      signal,
    );
    expect(refused).toMatchObject({ kind: 'failed', message: expect.stringMatching(/^no token: HTTP 401/) });
    expect(JSON.stringify(refused)).not.toContain(OF.secret);
  });

  it('needs its settings, takes the native format alone, and no name of another place', () => {
    const problems = (change: object) => {
      const result = checkRequest(requestOf(change));
      return 'problems' in result ? result.problems.map(({ field }) => field) : [];
    };
    expect(problems({})).toEqual([]);
    expect(problems({ format: 'ocsf' })).toEqual(['format']);
    expect(problems({ settings: {}, secrets: {} })).toEqual([
      'settings.azureTenant',
      'settings.clientId',
      'settings.dcr',
      'secrets.clientSecret',
    ]);
    const settings = {
      azureTenant: '../x',
      clientId: 'a b',
      dcr: 'dcr-1/..',
      stream: 'x/y',
      loginUrl: 'ftp://x',
    };
    expect(problems({ settings })).toEqual(Object.keys(settings).map((name) => `settings.${name}`));
  });

  it('has a table and a rule in deploy/sentinel with the columns of its rows, and no others', async () => {
    const azure = new StrictAzure(OF);
    const sender = senderOf(azure);
    const whole = { ...JSON.parse(itemOf(0).json), test: true };
    for (const [name, value] of Object.entries(whole)) if (value === null) whole[name] = 'x';
    await sender.send(batchOf([{ ...itemOf(0), json: JSON.stringify(whole) }]), signal);
    sender.close();
    const file = (name: string) =>
      JSON.parse(readFileSync(path.join(__dirname, '../../../deploy/sentinel', name), 'utf8'));
    const named = (columns: readonly { readonly name: string }[]) => columns.map(({ name }) => name).sort();
    const sent = Object.keys(azure.rows[0] ?? {}).sort();
    expect(named(file('table.json').properties.schema.columns)).toEqual(sent);
    const [rule] = file('dcr.json').resources;
    expect(named(rule.properties.streamDeclarations[OF.stream].columns)).toEqual(sent);
    const parser = readFileSync(
      path.join(__dirname, '../../../deploy/sentinel/ASimSqlServerAudit.kql'),
      'utf8',
    );
    // Columns that the function reads stand behind `=` or within brackets; each is one of the table.
    const made = [...parser.matchAll(/^ +(\w+) = /gm)].map(([, name]) => name);
    const words = parser.replaceAll(/"[^"]*"|\/\/.*/g, '').match(/\b[A-Z][A-Za-z]+\b/g) ?? [];
    const read = words.filter((word) => !made.includes(word) && word !== 'SqlServerAudit');
    expect(read.filter((word) => !sent.includes(word))).toEqual([]);
  });
});
