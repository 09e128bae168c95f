import { validateHeaderName, validateHeaderValue } from 'node:http';
import fc from 'fast-check';
import { NetworkGuard } from '../../../src/delivery/network-guard';
import { LIMITS } from '../../../src/limits';
import { checkRequest, checkSecrets } from '../../../src/modules/destinations/destination-request';
import { openSender } from '../../../src/modules/destinations/senders/open-sender';
import { type DestinationType, typeSpec } from '../../../src/modules/destinations/types';
import { readDocument } from '../../support/documents';
import { Receiver } from '../support/receiver';

const REQUEST = {
  tenantId: '1',
  name: 'siem',
  type: 'webhook',
  url: 'https://siem.example/',
  filter: '',
  format: 'native',
  settings: {},
  secrets: {},
};
const problemsOf = (change: object): readonly string[] => {
  const result = checkRequest({ ...REQUEST, ...change });
  return 'problems' in result ? result.problems.map(({ message }) => message) : [];
};
const CANNOT = 'must not have characters above U+00FF, which a header cannot carry';

describe('a request for a destination', () => {
  it('is refused with every problem of its headers at once, and without their values', () => {
    const headers = {
      'X-A': 'tokën',
      'X-B': 'snow\u2603man',
      'X-C': 'line\nbreak',
      'X-D': '',
      'X-E': 5,
      'no name': 'a',
      'Content-Type': 'b',
      'Webhook-Id': 'c',
      'x-a': 'd',
    };
    const problems = problemsOf({ secrets: { headers, colour: 1 } });
    expect(problems).toEqual([
      `secrets.headers.X-B: ${CANNOT}`,
      'secrets.headers.X-C: must not have control characters',
      expect.stringMatching(/^secrets\.headers\.X-D: Too small/),
      expect.stringMatching(/^secrets\.headers\.X-E: Invalid input: expected string/),
      'secrets.headers.no name: is no name of a header',
      'secrets.headers.Content-Type: is a header that the service sets itself',
      'secrets.headers.Webhook-Id: is a header that the service sets itself',
      'secrets.headers: must not have a name twice, in small and in capital letters',
      'secrets: Unrecognized key: "colour"',
    ]);
    expect(problems.join()).not.toMatch(/snow|break/);
  });

  it.each<[DestinationType, object, readonly string[]]>([
    ['splunk-hec', { token: '☃' }, [`secrets.token: ${CANNOT}`]],
    [
      'elasticsearch',
      { apiKey: '☃', username: 'a:b' },
      [
        `secrets.apiKey: ${CANNOT}`,
        'secrets.username: must not have a colon, which ends it',
        'secrets: username and password are given together',
        'secrets: give an API key, or a user name and a password',
      ],
    ],
    [
      's3',
      { accessKeyId: '☃', sessionToken: '☃' },
      [
        `secrets.accessKeyId: ${CANNOT}`,
        'secrets.secretAccessKey: is missing',
        `secrets.sessionToken: ${CANNOT}`,
      ],
    ],
    [
      'relp',
      { clientKey: 'x' },
      ['secrets.clientKey: must be PEM', 'secrets: a client certificate and its key are given together'],
    ],
  ])('of %s is refused if its secrets %j cannot be sent', (type, secrets, problems) => {
    expect(checkSecrets(type, secrets).problems.map(({ message }) => message)).toEqual(problems);
  });

  it('of an unknown type is told its other problems too', () => {
    expect(problemsOf({ type: 'fax', name: '', format: 'xml', filter: '(' })).toEqual([
      expect.stringContaining('type must be one of'),
      expect.stringContaining('name'),
      expect.stringContaining('filter'),
      expect.stringContaining('format must be one of'),
    ]);
  });

  it.each([
    ['webhook', 'https://:p@x.example/', 'url must not have a user name or a password'],
    ['webhook', 'https://u@x.example/', 'url must not have a user name or a password'],
    ['webhook', 'https://x.example/#a', 'url must not have a fragment'],
    ['webhook', 'x.example', 'url must begin with https:// or http:// and be a URL'],
    ['webhook', `https://x.example/${'a'.repeat(2_000)}`, 'url must be at most 2000 characters'],
    ['s3', 'https://x.example/?a=b', 'url must not have a query'],
    ['splunk-hec', 'https://x.example/?a=b', 'url must not have a query'],
    ['elasticsearch', 'https://x.example/?a=b', 'url must not have a query'],
    ['azure-monitor', 'https://x.example/?a=b', 'url must not have a query'],
    ['syslog', 'tls://x.example:6514?a=b', 'url must not have a query'],
    ['syslog', 'tcp://x.example', 'url must begin with tls://'],
    ['relp', 'tls://x.example', 'url must begin with relp+tls:// or relp://'],
  ])('of %s does not lead to %s', (type, url, problem) => {
    expect(problemsOf({ type, url })).toContain(problem);
  });

  it('has settings and secrets of a bounded size, and a webhook may have a query', () => {
    const ca = `-----BEGIN CERTIFICATE-----${'a'.repeat(LIMITS.destinationSettingsCharsMax)}`;
    expect(problemsOf({ settings: { ca }, secrets: { ca } })).toEqual(
      ['settings', 'secrets'].map(
        (part) => `${part} must be at most ${LIMITS.destinationSettingsCharsMax} characters`,
      ),
    );
    expect(problemsOf({ url: 'https://x.example/?a=b' })).toEqual([]);
  });

  it('of an object store has large batches, and time for them to grow, as the document says', () => {
    const { eventsMax, restMs } = typeSpec('s3');
    expect(readDocument('docs/destinations.md')).toContain(`up to ${eventsMax.toLocaleString('en')} events`);
    expect(readDocument('docs/destinations.md').replace(/\s+/g, ' ')).toContain(
      `object follows after ${Number(restMs) / 1_000} seconds`,
    );
  });

  it('has at most 20 headers', () => {
    const headers = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'a']));
    expect(problemsOf({ secrets: { headers: headers(20) } })).toEqual([]);
    expect(problemsOf({ secrets: { headers: headers(21) } })).toEqual([
      'secrets.headers: must be at most 20',
    ]);
  });

  it('is accepted only with headers that Node.js can send', () => {
    const character = fc
      .oneof(fc.nat({ max: 0x120 }), fc.nat({ max: 0xffff }))
      .map((code) => String.fromCharCode(code));
    const texts = fc.string({ unit: character, minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(texts, texts, (name, value) => {
        const isSendable = () => {
          try {
            validateHeaderName(name);
            validateHeaderValue(name, value);
            return true;
          } catch {
            return false;
          }
        };
        const { problems } = checkSecrets('webhook', { headers: { [name]: value } });
        if (problems.length === 0) expect(isSendable()).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

it('a header with letters of Latin-1 reaches the receiver as it is', async () => {
  const receiver = await Receiver.open();
  const { value } = checkSecrets('webhook', { headers: { 'X-Name': 'Zoë ÿ' } });
  const sender = openSender('webhook', { url: receiver.url }, value, {
    guard: new NetworkGuard(['127.0.0.1']),
    nowMs: Date.now,
  });
  const batch = { id: 'msg_1', tenantId: 1, epoch: '', mark: '', from: 1, to: 2, items: [] };
  expect(await sender.send(batch, new AbortController().signal)).toEqual({ kind: 'accepted' });
  expect(receiver.requests[0]?.headers['x-name']).toBe('Zoë ÿ');
  sender.close();
  await receiver.close();
});
