import fc from 'fast-check';
import { ACTION_NAMES } from '../../../src/event/action-names';
import { FIELD_NAMES } from '../../../src/event/fields';
import { cefLine, toCef } from '../../../src/event/formats/cef';
import type { FeedEvent } from '../../../src/event/formats/feed-item';
import { recordIdFloor } from '../../../src/event/record-id';
import { itemMaker } from '../../../src/modules/destinations/to-item';
import type { ArrivedEvent } from '../../../src/store/log/arrivals/arrival-reader';
import { readCef } from './cef-grammar';

const NOW_MS = Date.parse('2026-01-05T08:00:00.123Z');
const feedEvent = (
  change: Partial<FeedEvent['event']>,
  additional: FeedEvent['event']['additional'] = {},
): FeedEvent => ({
  position: 41,
  receivedAt: '2026-01-05T08:00:02.000Z',
  event: {
    ...(Object.fromEntries(FIELD_NAMES.map((name) => [name, null])) as unknown as FeedEvent['event']),
    recordId: recordIdFloor(BigInt(NOW_MS) * 10_000n),
    tenantId: '7',
    eventTime: '2026-01-05T08:00:00.1230000Z',
    actionId: 'SL',
    succeeded: true,
    ...change,
    additional,
  },
});

/** Texts in which everything that the grammar gives a meaning stands beside everything else. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '|',
        '\\',
        '=',
        '\n',
        '\r',
        '\r\n',
        ' ',
        ' msg=',
        'src=10.0.0.1',
        '\\n',
        '\t',
        '\0',
        '\u2028',
      ),
      fc.constantFrom('\u202e', '\u{1d173}', '\ud800', '漢', 'CEF:0|', 'SELECT', "'"),
      fc.string({ maxLength: 5 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(''));
/** What a reader sees of a text: hidden characters, but for line breaks and tabs, as codes. */
const seen = (text: string) =>
  text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (c) =>
    '\n\r\t'.includes(c)
      ? c
      : c
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
  );

describe('the Common Event Format', () => {
  it('gives each text back whole, whatever it holds, and no text can pass for another key', () => {
    fc.assert(
      fc.property(
        nasty,
        nasty,
        nasty,
        fc.constantFrom('SL', ...Object.keys(ACTION_NAMES)),
        (a, b, c, actionId) => {
          const line = toCef(
            feedEvent(
              {
                actionId,
                statement: a,
                objectName: b,
                serverInstanceName: `SQL01\\${c}`,
                clientIp: '::1',
                serverPrincipalName: b,
              },
              { sessionId: 55, note: c },
            ),
          );
          const { head, extension } = readCef(line);
          expect(head[4]).toBe(actionId);
          expect(extension.msg).toBe(seen(a));
          expect(extension.cs4).toBe(seen(b));
          expect(extension.cs1).toBe(seen(`SQL01\\${c}`));
          expect(extension).toMatchObject({ dvchost: 'SQL01', cn1: '55', c6a2: '::1', rt: String(NOW_MS) });
          expect(JSON.parse(extension.cs6 ?? '').sessionId).toBe(55);
        },
      ),
      { numRuns: 500, seed: 7 },
    );
  });

  it.each([
    ['PC7', 'local machine', { shost: 'PC7' }],
    [null, 'local machine', { shost: 'local machine' }],
    [null, '10.0.0.7', { src: '10.0.0.7' }],
    [null, '::1', { c6a2: '::1', c6a2Label: 'Source IPv6 Address' }],
  ])('tells where an event came from by what is known of it: %j at %j', (hostName, clientIp, told) => {
    const { extension } = readCef(toCef(feedEvent({ hostName, clientIp })));
    const { src, shost, c6a2, c6a2Label } = extension;
    expect(
      Object.entries({ src, shost, c6a2, c6a2Label }).filter(([, value]) => value !== undefined),
    ).toEqual(Object.entries(told));
  });

  it('has any code and any name in its head', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const { head } = readCef(
          cefLine({ classId: `x${text}`, name: `y${text}`, severity: 10, extension: {} }),
        );
        expect(head.slice(0, 4)).toEqual(['CEF:0', 'Audit Activity', 'Audit Activity', '1']);
        expect(head[5]?.slice(1)).toBe(seen(text.replace(/[\r\n]+/g, ' ')));
      }),
      { numRuns: 300, seed: 8 },
    );
  });

  it('is written as documented', () => {
    const event = feedEvent({
      statement: 'SELECT a|b\nFROM c\\d WHERE x=1',
      serverInstanceName: 'SQL01\\PAYROLL',
      serverPrincipalName: 'CORP\\alice',
      clientIp: '10.1.2.3',
      hostName: 'APP01',
      succeeded: false,
    });
    expect(toCef(event)).toBe(
      `CEF:0|Audit Activity|Audit Activity|1|SL|SELECT|6|rt=${NOW_MS} externalId=${event.event.recordId} cat=read ` +
        'act=SELECT outcome=failure dvchost=SQL01 dhost=SQL01 suser=alice sntdom=CORP src=10.1.2.3 shost=APP01 ' +
        'cs1=SQL01\\\\PAYROLL cs1Label=serverInstanceName flexString1=7 flexString1Label=tenantId ' +
        `flexNumber1=41 flexNumber1Label=position deviceCustomDate1=${NOW_MS + 1_877} ` +
        'deviceCustomDate1Label=receivedAt msg=SELECT a|b\\nFROM c\\\\d WHERE x\\=1',
    );
  });
});

describe('what leaves with an event', () => {
  const additional = {
    sessionId: 55,
    objectId: 0,
    classType: 'U',
    permissionBitmask: '0x00000000000000000000000000000000',
    connectionId: '00000000-0000-0000-0000-000000000000',
    isColumnPermission: false,
    affectedRows: 0,
    note: '',
    none: null,
  };
  const made = (format: 'native' | 'ocsf' | 'ecs' | 'cef', settings: object) => {
    const item = itemMaker('', format, false, settings)(feedEvent({}, additional) as ArrivedEvent);
    return format === 'cef' ? readCef(item?.line ?? '').extension : JSON.parse(item?.json ?? '');
  };

  it('is everything, unless a setting says otherwise', () => {
    expect(made('native', {})).toMatchObject({ additional, statement: null });
  });

  it('without empty fields and zeros of `additional`, keeps what says something', () => {
    const sent = made('native', { omitEmpty: true });
    expect(sent).toMatchObject({
      additional: { sessionId: 55, classType: 'U' },
      affectedRows: '0',
      succeeded: true,
    });
    expect(Object.keys(sent.additional)).toEqual(['sessionId', 'classType']);
    expect(Object.values(sent)).not.toContain(null);
    expect(made('ocsf', { omitEmpty: true }).unmapped.additional).toEqual({ sessionId: 55, classType: 'U' });
    expect(made('ecs', { omitEmpty: true }).sqlserver.audit.additional).toEqual({
      sessionId: 55,
      classType: 'U',
    });
    expect(JSON.parse(made('cef', { omitEmpty: true }).cs6)).toEqual({ sessionId: 55, classType: 'U' });
  });

  it('without `additional`, still has the fields that are read from it', () => {
    expect(made('native', { withoutAdditional: true })).not.toHaveProperty('additional');
    expect(made('native', { withoutAdditional: true })).toMatchObject({ sessionId: '55', statement: null });
    expect(made('ocsf', { withoutAdditional: true }).unmapped ?? {}).not.toHaveProperty('additional');
    expect(made('ocsf', { withoutAdditional: true }).actor.session).toEqual({ uid: '55' });
    expect(made('ecs', { withoutAdditional: true, omitEmpty: true }).sqlserver.audit).not.toHaveProperty(
      'additional',
    );
    expect(made('cef', { withoutAdditional: true })).not.toHaveProperty('cs6');
  });

  it('names the machine, and the instance apart', () => {
    const at = (serverInstanceName: string | null) =>
      itemMaker('', 'ocsf')(feedEvent({ actionId: 'LGIS', serverInstanceName }) as ArrivedEvent);
    expect(at('SQL01\\PAYROLL')).toMatchObject({ hostName: 'SQL01', instanceName: 'PAYROLL' });
    expect(JSON.parse(at('SQL01\\PAYROLL')?.json ?? '').dst_endpoint).toEqual({
      hostname: 'SQL01',
      name: 'SQL01\\PAYROLL',
    });
    expect(at('SQL01')).toMatchObject({ hostName: 'SQL01', instanceName: null });
    expect(at(null)).toMatchObject({ hostName: null, instanceName: null });
  });
});
