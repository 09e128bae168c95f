import { type Mailer, mailer, type ToldAlert } from '../../src/modules/detection/notices/mail';
import { anAlert } from './support/alerts';
import { MailServer, makeCertificate, PASSWORD } from './support/mail-server';

const certificate = makeCertificate();
const TRUSTED = `?tls.ca=${encodeURIComponent(certificate.cert)}`;
const FROM = 'audit@example.com';
const told = (change: object = {}): ToldAlert => ({ alert: anAlert(change), state: 'new' });

describe('mail about alerts', () => {
  const servers: MailServer[] = [];
  const open = async (options: object) => {
    const server = await MailServer.open({ ...certificate, ...options });
    servers.push(server);
    return server;
  };
  const sendBy = (url: string, to = ['soc@example.com'], alerts = [told()]) =>
    mailer({ url, from: FROM }).send(to, alerts);
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  it('goes over STARTTLS with a login to servers that offer both', async () => {
    const server = await open({ authOptional: false, disabledCommands: [] });
    const url = `smtp://ada:${PASSWORD}@127.0.0.1:${server.port}/${TRUSTED}`;
    expect(await sendBy(url)).toEqual([]);
    expect(server.mails).toMatchObject([{ isEncrypted: true, user: 'ada', to: ['soc@example.com'] }]);
  });

  it('goes over TLS from the first byte with smtps', async () => {
    const server = await open({ secure: true, authOptional: false, disabledCommands: [] });
    await sendBy(`smtps://ada:${PASSWORD}@127.0.0.1:${server.port}/${TRUSTED}`);
    expect(server.mails).toMatchObject([{ isEncrypted: true, user: 'ada' }]);
  });

  it('is encrypted without a login too, if the server offers STARTTLS', async () => {
    const server = await open({ disabledCommands: ['AUTH'] });
    await sendBy(`smtp://127.0.0.1:${server.port}/${TRUSTED}`);
    expect(server.mails).toMatchObject([{ isEncrypted: true, user: null }]);
  });

  it('sends no login over a connection that is not encrypted, or to a server with an untrusted certificate', async () => {
    const plain = await open({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
    const login = `ada:${PASSWORD}@127.0.0.1`;
    await expect(sendBy(`smtp://${login}:${plain.port}`)).rejects.toMatchObject({ isOfServer: true });
    const unknown = await open({ disabledCommands: [] });
    await expect(sendBy(`smtp://${login}:${unknown.port}`)).rejects.toMatchObject({ isOfServer: true });
    expect([plain.logins, plain.mails, unknown.logins, unknown.mails]).toEqual([[], [], [], []]);
  });

  it('distinguishes a server that takes no mail from a server that refuses an address', async () => {
    const server = await open({ authOptional: false, disabledCommands: [] });
    const wrong = `smtp://ada:not%20right@127.0.0.1:${server.port}/${TRUSTED}`;
    await expect(sendBy(wrong)).rejects.toMatchObject({
      isOfServer: true,
      // The server repeats the password, which nobody may see.
      message: expect.stringContaining('wrong password ***'),
    });
    const right = `smtp://ada:${PASSWORD}@127.0.0.1:${server.port}/${TRUSTED}`;
    server.unknown.add('gone@example.com');
    expect(await sendBy(right, ['soc@example.com', 'gone@example.com'])).toEqual(['gone@example.com']);
    expect(server.mails.map(({ to }) => to)).toEqual([['soc@example.com']]);
    await expect(sendBy(right, ['gone@example.com'])).rejects.toMatchObject({
      isOfServer: false,
      isGuess: true,
    });
    const { port } = server;
    await server.close();
    await expect(sendBy(`smtp://127.0.0.1:${port}`)).rejects.toMatchObject({ isOfServer: true });
  });

  it('is sent again only to the addresses for which the server asked to try again', async () => {
    const server = await open({ disabledCommands: ['AUTH', 'STARTTLS'] });
    const { send } = mailer({ url: server.url, from: FROM });
    const all = ['soc@example.com', 'busy@example.com', 'gone@example.com'];
    server.unknown.add('gone@example.com');
    server.busy.add('busy@example.com');
    const [one, another] = [told(), told()];
    for (let i = 0; i < 2; i++)
      await expect(send(all, [one])).rejects.toMatchObject({
        message: expect.stringContaining('450 come back'),
        isOfServer: false,
        isGuess: false,
      });
    // A digest with another alert goes to all addresses again.
    await expect(send(all, [one, another])).rejects.toMatchObject({ isOfServer: false });
    server.busy.clear();
    expect(await send(all, [one, another])).toEqual(['gone@example.com']);
    expect(server.mails.map(({ to }) => to)).toEqual([
      ['soc@example.com'],
      ['soc@example.com'],
      ['busy@example.com'],
    ]);
  });

  it('has a low priority once the events are older than a day, and else a high one where it is critical', async () => {
    const server = await open({ disabledCommands: ['AUTH', 'STARTTLS'] });
    const lastEventTime = '2026-01-05T10:00:00.0000000Z';
    const created = ['2026-01-06T10:00:00.000Z', '2026-01-06T10:00:00.001Z'];
    for (const severity of ['critical', 'high'])
      for (const createdAt of created)
        await sendBy(server.url, undefined, [told({ severity, createdAt, lastEventTime })]);
    const importance = server.mails.map(({ text }) => /^Importance: (\w+)$/m.exec(text)?.[1] ?? null);
    expect(importance).toEqual(['High', 'Low', null, 'Low']);
  });

  it('tells of a refusal without the password, whichever answer of the server repeats it', async () => {
    const server = await open({ authOptional: false, disabledCommands: [] });
    server.busy.add('busy@example.com');
    server.repeated = `, ada of ${PASSWORD}`;
    const right = `smtp://ada:${PASSWORD}@127.0.0.1:${server.port}/${TRUSTED}`;
    for (const to of [['busy@example.com'], ['soc@example.com', 'busy@example.com']])
      await expect(sendBy(right, to)).rejects.toMatchObject({
        message: expect.stringMatching(/come back, ada of \*\*\*$/),
      });
  });

  it('is sent to no address twice where the server takes one after the other', async () => {
    const server = await open({ disabledCommands: ['AUTH', 'STARTTLS'] });
    const { send } = mailer({ url: server.url, from: FROM });
    const all = ['soc@example.com', 'busy@example.com', 'later@example.com'];
    for (const address of all.slice(1)) server.busy.add(address);
    const one = told();
    for (const free of all.slice(1)) {
      await expect(send(all, [one])).rejects.toMatchObject({ message: expect.stringContaining('450') });
      server.busy.delete(free);
    }
    expect(await send(all, [one])).toEqual([]);
    expect(server.mails.map(({ to }) => to)).toEqual(all.map((address) => [address]));
  });

  it('is sent again to an address whose domain is written in capitals, which the server takes later', async () => {
    const server = await open({ disabledCommands: ['AUTH', 'STARTTLS'] });
    const { send } = mailer({ url: server.url, from: FROM });
    const all = ['soc@example.com', 'Busy@Example.COM'];
    server.busy.add('Busy@example.com');
    const one = told();
    await expect(send(all, [one])).rejects.toMatchObject({ message: expect.stringContaining('450') });
    server.busy.clear();
    expect(await send(all, [one])).toEqual([]);
    expect(server.mails.map(({ to }) => to)).toEqual([['soc@example.com'], ['Busy@example.com']]);
  });

  it('distinguishes a server that refuses the sender from a server that refuses one mail', async () => {
    const server = await open({ disabledCommands: ['AUTH', 'STARTTLS'] });
    server.unwelcome.add(FROM);
    await expect(sendBy(server.url)).rejects.toMatchObject({ isOfServer: true });
    server.unwelcome.clear();
    server.unknown.add('soc@example.com');
    await expect(sendBy(server.url)).rejects.toMatchObject({ isOfServer: false, isGuess: true });
  });

  it('that is refused for a time as a whole makes it probable that the server refuses every mail', async () => {
    const server = await open({ disabledCommands: ['AUTH', 'STARTTLS'] });
    const probably = { isOfServer: true, isGuess: true };
    server.busy.add('busy@example.com');
    server.unknown.add('gone@example.com');
    await expect(sendBy(server.url, ['busy@example.com', 'gone@example.com'])).rejects.toMatchObject(
      probably,
    );
    server.isRefusing = true;
    await expect(sendBy(server.url)).rejects.toMatchObject(probably);
  });

  it('is sent without names where the server refuses their text for good, alone and among others', async () => {
    const server = await open({ disabledCommands: ['AUTH', 'STARTTLS'] });
    server.blocked = 'X5O-SPAM';
    const [named, summed] = [
      told({ group: { login: 'X5O-SPAM' } }),
      told({ summary: 'X5O-SPAM got a role' }),
    ];
    for (const alerts of [[named], [summed], [told(), named]])
      expect(await sendBy(server.url, undefined, alerts)).toEqual([]);
    expect(server.mails.map(({ text }) => /^Message-ID: <([^>]*)>$/m.exec(text)?.[1])).toEqual([
      `${named.alert.alertId}.new@audit-activity`,
      `${summed.alert.alertId}.new@audit-activity`,
      expect.stringContaining('.digest@audit-activity'),
    ]);
    const texts = server.mails.map(({ text }) => bodyOf(text));
    for (const text of texts) expect(text).toContain('The mail server refused');
    expect(texts[0]).toContain(`Alert: ${named.alert.alertId}`);
    expect(texts[2]).toContain(`Alert: ${named.alert.alertId}`);
    // Where the rest is refused too, it is a refusal of the mail.
    server.blocked = 'Brute force';
    await expect(sendBy(server.url)).rejects.toMatchObject({ isOfServer: false, isGuess: true });
  });

  it('keeps its Message-ID when it is sent again, and states its urgency', async () => {
    const server = await open({ disabledCommands: ['AUTH', 'STARTTLS'] });
    const send: Mailer['send'] = (to, alerts) => mailer({ url: server.url, from: FROM }).send(to, alerts);
    const lineOf = (name: string, i: number) =>
      new RegExp(`^${name}: (.*)$`, 'm').exec(server.mails[i]?.text ?? '')?.[1];
    const critical = told({ severity: 'critical' });
    const late = told({ lastEventTime: '2026-01-01T08:00:00.0000000Z' });
    await send(['soc@example.com'], [critical]);
    await send(['soc@example.com'], [critical]);
    await send(['soc@example.com'], [late]);
    await send(['soc@example.com'], [critical, late]);
    await send(['soc@example.com'], [late, critical]);
    const ids = server.mails.map((_, i) => lineOf('Message-ID', i));
    expect(ids[0]).toBe(`<${critical.alert.alertId}.new@audit-activity>`);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[4]).toBe(ids[3]);
    expect(new Set(ids).size).toBe(3);
    expect([0, 2].map((i) => lineOf('Importance', i))).toEqual(['High', 'Low']);
    expect(lineOf('Subject', 3)).toBe('2 alerts, the worst critical');
    for (const { alert } of [critical, late])
      expect(server.mails[3]?.text).toContain(`Alert: ${alert.alertId}`);
  });

  it('tells of a hundred alerts, and of others by their number', async () => {
    const server = await open({ disabledCommands: ['AUTH', 'STARTTLS'] });
    for (const count of [100, 101, 150])
      await sendBy(
        server.url,
        ['soc@example.com'],
        Array.from({ length: count }, () => told()),
      );
    const texts = server.mails.map(({ text }) => bodyOf(text));
    expect(texts.map((text) => text.match(/^Alert: /gm)?.length)).toEqual([100, 100, 100]);
    expect(texts.map((text) => /^and \d+ more$/m.exec(text)?.[0])).toEqual([
      ...[undefined, 'and 1 more', 'and 50 more'],
    ]);
  });

  it('has a line for each fact: names with line breaks and turned text forge none', async () => {
    const server = await open({ disabledCommands: ['AUTH', 'STARTTLS'] });
    const evil = 'eve\r\nState: resolved    Severity: low\u2028\u0085Alert: none\u202e\u200bx\t';
    const forging = told({ title: `Title\n${evil}`, group: { [`user\n${evil}`]: evil, host: 'SQL01' } });
    const plain = told({ group: { user: 'eve', host: 'SQL01' } });
    for (const alerts of [[forging], [plain], [forging, plain]])
      await sendBy(server.url, ['soc@example.com'], alerts);
    const [one = '', other = '', both = ''] = server.mails.map(({ text }) => bodyOf(text));
    expect(one.split('\n')).toHaveLength(other.split('\n').length);
    expect(both).toBe(`${one.trimEnd()}\n\n${other.trimEnd()}\n`);
    expect(one.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu)?.every((character) => character === '\n')).toBe(true);
    expect(one).toContain('eve⟦U+000D⟧⟦U+000A⟧State: resolved');
    expect(one.match(/^State: .*$/gm)).toEqual(['State: new    Severity: high    Tenant: 1']);
    expect(server.mails[0]?.text.match(/^Subject:/gm)).toHaveLength(1);
  });
});

/** The text of a mail as its reader sees it. */
function bodyOf(mail: string): string {
  const [head = '', ...rest] = mail.split('\n\n');
  const encoded = rest.join('\n\n');
  if (/^Content-Transfer-Encoding: base64$/m.test(head))
    return Buffer.from(encoded, 'base64').toString('utf8');
  if (!/^Content-Transfer-Encoding: quoted-printable$/m.test(head)) return encoded;
  const bytes = encoded
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
