import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ACTION_NAMES } from '../../src/event/action-names';
import { LIFTED_NAMES } from '../../src/event/fields';
import { FEED_ITEM, type FeedEvent } from '../../src/event/formats/feed-item';
import { FEED_FORMATS } from '../../src/event/formats/formats';
import { type Meaning, meaningOf } from '../../src/event/formats/meaning';
import { ROOT } from '../support/imports';

const read = (file: string) => readFileSync(path.join(ROOT, 'deploy', file), 'utf8');
const event = (change: object = {}, additional: object = {}): FeedEvent =>
  ({
    position: 41,
    receivedAt: '2026-03-05T10:11:14.000Z',
    event: {
      recordId: '019638ad-0a46-88cc-9858-2abc91547e33',
      tenantId: '7',
      eventTime: '2026-03-05T10:11:12.1234567Z',
      actionId: 'SL',
      succeeded: true,
      serverInstanceName: 'SQL01\\PAYROLL',
      databaseName: 'Payroll',
      schemaName: 'dbo',
      objectName: 'Employees',
      serverPrincipalName: 'CORP\\alice',
      databasePrincipalName: 'dbo',
      applicationName: 'PayrollWeb',
      hostName: 'APP01',
      clientIp: '10.20.30.40',
      sourceType: 'DirectFile',
      statement: 'SELECT 1',
      ...change,
      additional: { sessionId: 55, isColumnPermission: false, ...additional },
    },
  }) as unknown as FeedEvent;
const CODES = [...Object.keys(ACTION_NAMES), 'EADS', 'ZZZZ'];
const CLASS_TYPES = [undefined, 'U', 'DB', 'LX', 'SL', 'SU'];
const ALL = CODES.flatMap((actionId) => CLASS_TYPES.map((classType) => event({ actionId }, { classType })));

type Mapping = { readonly type?: string; readonly properties?: Readonly<Record<string, Mapping>> };

/** What the index template does not map as the value is, in the manner of Elasticsearch's field types. */
function unfit(value: unknown, mapping: Mapping | undefined, at: string): string[] {
  if (mapping === undefined) return [`${at} is not mapped`];
  if (Array.isArray(value)) return value.flatMap((one) => unfit(one, mapping, at));
  if (mapping.properties) {
    if (typeof value !== 'object' || value === null) return [`${at} is no object`];
    return Object.entries(value).flatMap(([name, one]) =>
      unfit(one, mapping.properties?.[name], `${at}.${name}`),
    );
  }
  return FITS[mapping.type ?? '']?.(value) ? [] : [`${at} is no ${mapping.type}`];
}
const isText = (value: unknown): value is string => typeof value === 'string';
const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  keyword: isText,
  wildcard: isText,
  ip: (value) => isText(value) && /^[\d.]+$|:/.test(value),
  // It keeps milliseconds: further decimals would be lost.
  date: (value) => isText(value) && !Number.isNaN(Date.parse(value)) && !/\.\d{4}/.test(value),
  date_nanos: (value) => isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value),
  long: Number.isSafeInteger,
  boolean: (value) => typeof value === 'boolean',
  flattened: (value) => typeof value === 'object' && value !== null,
};

describe('the index template of Elasticsearch', () => {
  const { index_patterns, data_stream, template } = JSON.parse(read('elastic/index-template.json'));

  it('maps every field that the format ecs writes, by a type that takes its values', () => {
    const target = { targetServerPrincipalName: 'CORP\\bob' };
    const documents = [...ALL, event({ actionId: 'APRL' }, target), event({ clientIp: '::1' })].map(
      FEED_FORMATS.ecs.toObject,
    );
    const { mappings } = template;
    expect([...new Set(documents.flatMap((one) => unfit(one, mappings, 'event')))]).toEqual([]);
    expect([unfit({ x: 1 }, mappings, 'e'), unfit({ host: { name: 1 } }, mappings, 'e')]).toEqual([
      ['e.x is not mapped'],
      ['e.host.name is no keyword'],
    ]);
  });

  it('is of a data stream with the name of the dataset, before the templates that Elasticsearch brings', () => {
    expect(data_stream).toEqual({});
    expect(index_patterns).toEqual(['logs-sqlserver.audit-*']);
    expect(FEED_FORMATS.ecs.toObject(event())).toMatchObject({ event: { dataset: 'sqlserver.audit' } });
    expect(JSON.parse(read('elastic/index-template.json')).priority).toBeGreaterThan(200);
  });
});

/** The stanzas of a .conf file of Splunk, each with its settings. */
function stanzas(file: string): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  let settings = new Map<string, string>();
  for (const line of read(`splunk/audit_activity/default/${file}`).split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const stanza = /^\[(.+)\]$/.exec(line)?.[1];
    const [, name = '', value = ''] = /^([\w.-]+) = (.*)$/.exec(line) ?? [];
    if (stanza !== undefined) {
      settings = new Map();
      found.set(stanza, settings);
    } else if (name === '' || settings.has(name)) throw new Error(`${file}: ${line}`);
    else settings.set(name, value);
  }
  return found;
}
const quoted = (text = '') => [...text.matchAll(/"([^"]*)"/g)].map(([, one = '']) => one);

describe('the app of Splunk', () => {
  const KINDS: Readonly<Record<string, readonly Meaning[]>> = {
    authentication: ['login'],
    session_end: ['logout'],
    account: [
      ...(['accountCreation', 'accountChange', 'accountDeletion', 'accountEnabling'] as const),
      ...(['accountDisabling', 'passwordChange', 'passwordReset', 'accountUnlocking'] as const),
      ...(['memberAddition', 'memberRemoval', 'grant', 'revocation', 'denial', 'impersonation'] as const),
    ],
    object: ['creation', 'change', 'deletion', 'transfer', 'configuration', 'backup'],
    auditing: ['auditStart', 'auditStop'],
    server: ['serverStart', 'serverStop', 'serverPause', 'serverContinuation'],
    query: ['read', 'insert', 'update', 'delete', 'execute', 'batch'],
  };
  const eventtypes = stanzas('eventtypes.conf');
  const searchOf = (name: string) => eventtypes.get(`audit_activity_${name}`)?.get('search') ?? '';
  /** What such a search finds: codes, and for objects their classes. */
  const finds = (name: string, { event: { actionId, additional } }: FeedEvent) => {
    const [codes, objects] = [...searchOf(name).matchAll(/actionId IN \(([^)]*)\)/g)].map(([, one]) =>
      quoted(one),
    );
    if (codes?.includes(actionId)) return true;
    if (!objects?.includes(actionId)) return false;
    const [, not, classes] = /(NOT )?classType IN \(([^)]*)\)/.exec(searchOf(name)) ?? [];
    return quoted(classes).includes(String(additional.classType)) === (not === undefined);
  };

  it('finds by its event types the actions that have the meaning for the service', () => {
    expect([...eventtypes.keys()]).toEqual(Object.keys(KINDS).map((name) => `audit_activity_${name}`));
    for (const feed of ALL) {
      const meant = Object.keys(KINDS).filter((name) => KINDS[name]?.includes(meaningOf(feed)));
      const found = Object.keys(KINDS).filter((name) => finds(name, feed));
      expect([feed.event.actionId, feed.event.additional.classType, found]).toEqual([
        feed.event.actionId,
        feed.event.additional.classType,
        meant,
      ]);
    }
  });

  it('tags event types that there are, with the tags of data models of CIM', () => {
    const TAGS = ['authentication', 'change', 'account', 'audit', 'instance', 'database', 'query'];
    const tagged = [...stanzas('tags.conf')].map(([stanza, tags]) => [
      stanza.replace('eventtype=audit_activity_', ''),
      [...tags.keys()].join(' '),
    ]);
    expect(Object.fromEntries(tagged)).toEqual({
      authentication: 'authentication',
      account: 'change account',
      object: 'change',
      auditing: 'change audit',
      server: 'change instance',
      query: 'database query',
    });
    for (const [stanza, tags] of stanzas('tags.conf')) {
      expect(eventtypes.has(stanza.replace('eventtype=', ''))).toBe(true);
      expect([...tags.keys()].filter((tag) => !TAGS.includes(tag))).toEqual([]);
      expect(new Set(tags.values())).toEqual(new Set(['enabled']));
    }
  });

  it('makes the fields of CIM from fields of the events, for the source type of destinations', () => {
    const fields = [...Object.keys(FEED_ITEM.fields), ...LIFTED_NAMES];
    const [[sourcetype, settings] = []] = [...stanzas('props.conf')];
    expect(sourcetype).toBe('audit_activity');
    const made: string[] = [];
    for (const [name, value] of settings ?? []) {
      const [, given, alias] = /^(\w+) ASNEW (\w+)$/.exec(value) ?? [];
      if (name.startsWith('FIELDALIAS-')) {
        expect([name, fields.includes(given ?? '')]).toEqual([name, true]);
        made.push(alias ?? '');
      } else if (name.startsWith('EVAL-')) {
        const used = value.replace(/"[^"]*"/g, '').match(/[a-zA-Z_]+(?![\w(])/g) ?? [];
        const known = [...fields, 'OR', 'AND', 'NOT'];
        expect([name, used.filter((one) => !known.includes(one))]).toEqual([name, []]);
        made.push(name.slice('EVAL-'.length));
      }
    }
    expect(made).toEqual(
      expect.arrayContaining([
        ...['action', 'app', 'dest', 'src', 'user', 'src_user', 'status', 'object', 'query', 'command'],
        ...['vendor_product', 'change_type', 'instance_name', 'database', 'session_id', 'signature_id'],
      ]),
    );
    expect(new Set(made).size).toBe(made.length);
  });
});

type Value = string | null;
/** The functions of Splunk's `eval` that the app uses. Those whose names are words of JavaScript have other ones. */
const FUNCTIONS = {
  coalesce: (...values: readonly Value[]) => values.find((value) => value !== null) ?? null,
  split: (text: Value, by: string) => text?.split(by) ?? null,
  mvindex: (list: readonly string[] | null, at: number) => list?.[at] ?? null,
  match: (text: Value, pattern: string) => text !== null && new RegExp(pattern).test(text),
  isnotnull: (value: Value) => value !== null,
  _if: (is: boolean, then: Value, otherwise: Value) => (is ? then : otherwise),
  _in: (value: Value, ...list: readonly Value[]) => list.includes(value),
  _null: () => null,
  _true: () => true,
  _case: (...parts: readonly unknown[]) => parts[parts.findIndex((is, i) => i % 2 === 0 && is === true) + 1],
};
const inJavaScript = (expression: string) =>
  expression
    .replaceAll(/\b(if|in|null|true|case)\(/g, '_$1(')
    .replaceAll(/(\w)="/g, '$1 === "')
    .replaceAll(' OR ', ' || ');

describe('the values that the app of Splunk makes', () => {
  const settings = stanzas('props.conf').get('audit_activity') ?? new Map<string, string>();
  const made = (feed: FeedEvent) => {
    const native: Readonly<Record<string, unknown>> = JSON.parse(
      JSON.stringify(FEED_FORMATS.native.toObject(feed)),
    );
    const fields = [...Object.keys(FEED_ITEM.fields), ...LIFTED_NAMES];
    // Splunk has the values of JSON as texts.
    const known = Object.fromEntries(
      fields.map((name) => [name, native[name] == null ? null : String(native[name])]),
    );
    const scope = { ...known, ...FUNCTIONS };
    return Object.fromEntries(
      [...settings].flatMap(([name, value]) => {
        const [, given = '', alias = ''] = /^(\w+) ASNEW (\w+)$/.exec(value) ?? [];
        if (name.startsWith('FIELDALIAS-')) return [[alias, known[given]]];
        if (!name.startsWith('EVAL-')) return [];
        const evaluate = new Function(...Object.keys(scope), `return ${inJavaScript(value)}`);
        return [[name.slice('EVAL-'.length), evaluate(...Object.values(scope))]];
      }),
    );
  };

  it('are those of the event, each in its place', () => {
    const feed = event({}, { affectedRows: 3 });
    expect(made(feed)).toEqual({
      ...{
        object: 'Employees',
        object_attrs: 'dbo',
        database: 'Payroll',
        query: 'SELECT 1',
        command: 'SELECT 1',
      },
      ...{ session_id: '55', records_affected: '3', signature_id: 'SL', result_id: feed.event.recordId },
      ...{ app: 'PayrollWeb', vendor_product: 'Microsoft SQL Server', instance_name: 'SQL01\\PAYROLL' },
      ...{ dvc: 'SQL01', dest: 'SQL01', src: '10.20.30.40', src_ip: '10.20.30.40', src_host: 'APP01' },
      ...{ user: 'CORP\\alice', src_user: null, status: 'success', result: 'success', action: 'read' },
      change_type: 'database',
    });
  });

  it('name who did it beside whom it was about, and a host where there is no address', () => {
    expect(made(event({ clientIp: 'local machine', applicationName: null, succeeded: false }))).toMatchObject(
      {
        ...{ src: 'APP01', src_ip: null, app: 'sqlserver', status: 'failure', result: 'failure' },
      },
    );
    for (const target of ['targetServerPrincipalName', 'targetDatabasePrincipalName'])
      expect(made(event({ actionId: 'APRL' }, { [target]: 'bob' }))).toMatchObject({
        ...{ user: 'bob', src_user: 'CORP\\alice', action: 'modified' },
      });
  });

  const OUTCOME = 'if(succeeded="true", "success", "failure")';

  it('of actions are what the meaning of each code is in CIM', () => {
    const ACTIONS: Readonly<Record<string, readonly Meaning[]>> = {
      [OUTCOME]: ['login'],
      created: ['creation'],
      deleted: ['deletion'],
      started: ['auditStart', 'serverStart', 'serverContinuation'],
      stopped: ['auditStop', 'serverStop', 'serverPause'],
      read: ['read', 'serverView'],
    };
    const [, cases = '', others] =
      /^case\((.*), true\(\), "(\w+)"\)$/.exec(settings.get('EVAL-action') ?? '') ?? [];
    const each = /(?:in\(actionId, ([^)]*)\)|actionId=("\w+")), (?:"(\w+)"|(if\([^)]*\)))(?:, |$)/g;
    const found = [...cases.matchAll(each)].map(([, several, one, text, outcome]) => [
      text ?? outcome ?? '',
      quoted(several ?? one).sort(),
    ]);
    const codesOf = (meanings: readonly Meaning[]) =>
      Object.keys(ACTION_NAMES).filter((actionId) => meanings.includes(meaningOf(event({ actionId }))));
    expect(cases.replaceAll(each, '')).toBe('');
    expect([Object.fromEntries(found), others]).toEqual([
      Object.fromEntries(Object.entries(ACTIONS).map(([name, meanings]) => [name, codesOf(meanings).sort()])),
      'modified',
    ]);
  });

  it('are made of whole events: a long statement is not cut', () => {
    expect(Object.fromEntries(settings)).toMatchObject({ KV_MODE: 'json', TRUNCATE: '0' });
  });
});

describe('the function of Microsoft Sentinel', () => {
  const lines = read('sentinel/ASimSqlServerAudit.kql').split('\n');

  it('asks only for columns that the table has, and for the columns that it has made', () => {
    const table = JSON.parse(read('sentinel/table.json')) as {
      properties: { schema: { columns: { name: string }[] } };
    };
    const columns = table.properties.schema.columns.map(({ name }) => name);
    const used = lines
      .filter((line) => !line.startsWith('//'))
      .join('\n')
      .replace(/"[^"]*"/g, '')
      .match(/\b[A-Z]\w+\b(?!\s*=[^=])/g);
    expect(used?.filter((name) => ![...columns, 'SqlServerAudit_CL'].includes(name))).toEqual([]);
  });

  it('tells whether it succeeded, and the kind of what was done', () => {
    expect(lines.map((line) => line.trim())).toContain('EventResult = iff(Succeeded, "Success", "Failure"),');
    const [, cases = ''] = /EventType = case\(([^=]*)\),/.exec(lines.join(' ')) ?? [];
    const kinds = [
      ...cases.matchAll(/(startswith|in \() ?([^)]*?)\)? ?, "(Create|Delete|Set|Read|Execute)"/g),
    ].map(([, , codes, kind]) => [kind, quoted(codes)]);
    expect(Object.fromEntries(kinds)).toEqual({
      Create: ['CR'],
      Delete: ['DR'],
      Set: ['AL'],
      Read: ['SL', 'VW', 'RF'],
      Execute: ['EX', 'BCM', 'RCM', 'BST', 'RST'],
    });
  });

  it('has each value of the event in its place', () => {
    const made = lines.flatMap((line) => [...line.matchAll(/^ {4}(\w+) = (.*?),?$/g)]);
    const address = 'iff(ClientIp matches regex "^[0-9a-fA-F:.]+$", ClientIp, "")';
    expect(Object.fromEntries(made.map(([, name, value]) => [name, value]))).toEqual({
      ...{ EventVendor: '"Microsoft"', EventProduct: '"SQL Server"', EventSchema: '"AuditEvent"' },
      ...{
        EventSchemaVersion: '"0.1"',
        EventCount: 'int(1)',
        EventStartTime: 'EventTime',
        EventEndTime: 'EventTime',
      },
      ...{
        EventOriginalUid: 'RecordId',
        EventOriginalType: 'ActionId',
        Operation: 'ActionId',
        Value: 'Statement',
      },
      ...{ EventResult: expect.anything(), EventType: expect.anything(), Object: 'case(' },
      ObjectType: 'iff(isnotempty(ObjectName), "Database Object", "Database")',
      ActorUsername: 'ServerPrincipalName',
      ActorUsernameType: 'iff(ServerPrincipalName contains "\\\\", "Windows", "Simple")',
      ...{ ActorSessionId: 'SessionId', ActingAppName: 'ApplicationName', AdditionalFields: 'Additional' },
      TargetUsername: 'coalesce(TargetServerPrincipalName, TargetDatabasePrincipalName)',
      ...{ SrcIpAddr: address, SrcHostname: 'HostName' },
      ...{ Dvc: 'Computer', DvcHostname: 'Computer', Dst: 'Computer', DstHostname: 'Computer' },
    });
  });

  it('has the most exact name that an event has for what was reached', () => {
    const [, cases] = /Object = case\((.*?)\),\s+ObjectType/.exec(lines.join(' ')) ?? [];
    expect(cases?.split(/,\s+(?![^(]*\))/).map((one) => one.trim())).toEqual([
      ...['isnotempty(ObjectName)', 'strcat(DatabaseName, ".", SchemaName, ".", ObjectName)'],
      ...['isnotempty(DatabaseName)', 'DatabaseName', 'ServerInstanceName'],
    ]);
  });

  it('reads columns that the table and the rule of collection have in one type', () => {
    const { columns } = JSON.parse(read('sentinel/table.json')).properties.schema;
    const [{ properties }] = JSON.parse(read('sentinel/dcr.json')).resources;
    const [stream] = Object.values(properties.streamDeclarations) as {
      columns: { name: string; type: string }[];
    }[];
    const typesOf = (of: readonly { readonly name: string; readonly type: string }[]) =>
      Object.fromEntries(of.map(({ name, type }) => [name, type.toLowerCase()]));
    expect(typesOf(stream?.columns ?? [])).toEqual(typesOf(columns));
  });

  it('leaves out what is marked as a test, and keeps what says nothing of it', () => {
    expect(lines).toContain('| where isnull(Test) or Test == false');
  });
});
