import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseTicks } from '../../src/event/event-time';
import { matches } from '../../src/event/expression/matches';
import { printed } from '../../src/event/expression/printed';
import { parseParameters } from '../../src/event/parse-parameters';
import { recordIdFloor } from '../../src/event/record-id';
import { Zone } from '../../src/event/zone';
import { LIMITS } from '../../src/limits';
import { shippedReports } from '../../src/modules/reports/declarations';
import { REPORT_FORMATS } from '../../src/modules/reports/files';
import { behindAt, gapsIn, removedIn, type Source } from '../../src/modules/reports/gaps';
import { signManifest } from '../../src/modules/reports/manifest';
import { askedOf, MAKE_PARAMETERS } from '../../src/modules/reports/parameters';
import { type PdfColumn, PdfTable } from '../../src/modules/reports/pdf/pdf-table';
import { Privileged } from '../../src/modules/reports/privileged';
import { RunningRoot } from '../../src/modules/reports/running-root';
import { Delivery } from '../../src/modules/reports/schedules/deliver';
import { DeclaredSensitive } from '../../src/modules/reports/sensitive';
import { Tally } from '../../src/modules/reports/tally';
import { verifyRun } from '../../src/modules/reports/verify-run';
import { CheckpointKey, newCheckpointKeyPem } from '../../src/store/log/evidence/note-key';
import { signed } from '../../src/store/log/evidence/signed-note';
import type { StoredAuditEvent } from '../../src/store/rows/audit-event-reader';
import { MailServer } from '../detection/support/mail-server';

const at = (minute: number) => `2026-03-05T10:${String(minute).padStart(2, '0')}:00.0000000Z`;

describe('a run that is sent to a destination', () => {
  const FORMATS = ['html', 'csv', 'json'] as const;
  const MB = 1_000_000;
  /** @param bytes of each file @param answer of the receiver of files, by the name of a file */
  async function posted(bytes: readonly number[], answer: (name: string) => object | null = () => ACCEPTED) {
    const files = FORMATS.slice(0, bytes.length).map((format, i) => ({
      format,
      name: `r.${format}`,
      bytes: bytes[i],
      sha256: '00',
    }));
    const run = { runId: 'r', reportId: 'log-ons', createdAt: at(0), files };
    const sent: string[] = [];
    const delivery = new Delivery({ run: async () => run, file: async () => ({ content: [] }) } as never, {
      sendFile: async (_tenantId, _destinationId, { name }) => {
        sent.push(name);
        return answer(name) as never;
      },
      sendMessage: async (_tenantId, _destinationId, { kind }) => {
        sent.push(kind);
        return ACCEPTED;
      },
      ...{ mail: null, publicUrl: null },
    });
    const definition = { emails: [], destinationId: 'd', formats: FORMATS, name: 'x' };
    const done = await delivery.send({ tenantId: 7, definition } as never, { told: [] } as never);
    return { sent, failure: done.failure };
  }
  const ACCEPTED = { kind: 'accepted' };
  const RUN = 'reports/log-ons-r.run.json';

  it('brings its files, what proves them, and last a message; a file that is too large stays', async () => {
    const names = ['reports/r.html', 'reports/r.csv', 'reports/r.json'];
    expect(await posted([1, MB, 1])).toEqual({ sent: [...names, RUN, 'REPORT'], failure: null });
    const large = await posted([1, LIMITS.reportSentFileBytesMax + 1, LIMITS.reportSentFileBytesMax]);
    expect(large.sent).toEqual([names[0], names[2], RUN, 'REPORT']);
  });

  it('is not told of when its files were removed meanwhile', async () => {
    const removed = { sent: [], failure: 'the files of the run were removed' };
    expect([await posted([]), (await posted([1])).failure]).toEqual([removed, null]);
  });

  it('is not told of where a file was not taken, and is told of alone where no files are kept', async () => {
    const away = { kind: 'failed', message: 'HTTP 503' };
    const failed = await posted([1, 1, 1], (name) => (name.endsWith('.csv') ? away : ACCEPTED));
    expect(failed).toEqual({ sent: ['reports/r.html', 'reports/r.csv'], failure: 'HTTP 503' });
    expect(await posted([1, 1, 1], () => null)).toEqual({
      sent: ['reports/r.html', RUN, 'REPORT'],
      failure: null,
    });
    const unproven = await posted([1, 1, 1], (name) => (name === RUN ? away : ACCEPTED));
    expect([unproven.sent.at(-1), unproven.failure]).toEqual([RUN, 'HTTP 503']);
  });
});

describe('a run that is sent by mail', () => {
  let mail: MailServer;
  beforeAll(async () => {
    mail = await MailServer.open();
  });
  afterAll(() => mail.close());
  /** @param bytes of each file @param told who has the mail already */
  async function mailed(
    bytes: readonly number[],
    told: readonly string[] = [],
    emails: readonly string[] = ['a@b.c', 'd@e.f'],
  ) {
    const files = ['html', 'csv'].map((format, i) => ({
      format,
      name: `r.${format}`,
      bytes: bytes[i],
      sha256: '00',
    }));
    const question = { startTime: at(0), endTime: at(1), timeZone: 'UTC' };
    const manifest = JSON.stringify({ question, gaps: [], log: { size: 1, root: null } });
    const run = { runId: 'r', reportId: 'log-ons', title: 'T', rows: 1, tenantId: '7', files, manifest };
    const delivery = new Delivery(
      { run: async () => run, file: async () => ({ content: [Buffer.from('x')] }) } as never,
      {
        ...{ sendFile: async () => null, sendMessage: async () => null },
        ...{ mail: { url: mail.url, from: 'audit@example.com' }, publicUrl: 'https://a.example//' },
      } as never,
    );
    const definition = {
      emails,
      attach: true,
      destinationId: null,
      formats: ['html', 'csv'],
      name: 'x',
    };
    mail.mails.length = 0;
    const done = await delivery.send(
      { tenantId: 7, scheduleId: 's', definition } as never,
      { told } as never,
    );
    const text = (mail.mails[0]?.text ?? '').replaceAll('=\n', '').replaceAll('=3D', '=');
    return { done, text, to: mail.mails.map(({ to }) => to) };
  }

  it('has its files where all of them together are small enough, and else their addresses alone', async () => {
    const half = LIMITS.reportMailBytesMax / 2;
    const whole = await mailed([half, half]);
    expect(whole.text).toContain('filename=r.csv');
    const large = await mailed([half, half + 1]);
    expect(large.text).not.toContain('filename=');
    expect(large.text).toContain('The files are larger than 10 MB');
    for (const { text } of [whole, large]) {
      expect(text).toContain('https://a.example/dashboard/reports?run=r');
      expect(text).toContain('https://a.example/api/v1/public/reports/runs/r/content?format=csv');
    }
  });

  it('goes to those who have not got it, and to nobody a second time', async () => {
    const { done, to } = await mailed([1, 1], ['a@b.c']);
    expect([to, done.told, done.failure]).toEqual([[['d@e.f']], ['a@b.c', 'd@e.f'], null]);
    expect((await mailed([1, 1], ['a@b.c', 'd@e.f'])).to).toEqual([]);
  });

  it('is still to go to an address that the server takes later, also where its domain is written in capitals', async () => {
    mail.busy.add('d@e.f');
    const { done, to } = await mailed([1, 1], [], ['a@b.c', 'd@E.F']);
    mail.busy.clear();
    expect([to, done.told, done.failure]).toEqual([[['a@b.c']], ['a@b.c'], expect.stringContaining('450')]);
  });
});

describe('who is privileged', () => {
  const event = (minute: number, more: object) =>
    ({
      eventTime: at(minute),
      succeeded: true,
      serverInstanceName: 'SQL01',
      databaseName: 'Payroll',
      serverPrincipalName: null,
      databasePrincipalName: null,
      additional: {},
      ...more,
    }) as unknown as StoredAuditEvent;
  const member = (minute: number, actionId: string, role: string, targetServerPrincipalName: string) =>
    event(minute, { actionId, objectName: role, additional: { targetServerPrincipalName } });
  const isPrivileged = (of: Privileged, minute: number, more: object) => of.has(event(minute, more));

  it('is a member of a powerful role from the first time it is added until it is dropped, and sa always', () => {
    const all = new Privileged();
    for (const change of [
      member(10, 'APRL', 'sysadmin', 'eve'),
      member(20, 'APRL', 'sysadmin', 'eve'),
      member(30, 'DPRL', 'sysadmin', 'eve'),
      member(50, 'DPRL', 'sysadmin', 'eve'),
      member(10, 'APRL', 'bulkadmin', 'bob'),
      { ...member(10, 'APRL', 'sysadmin', 'ann'), succeeded: false },
    ])
      all.take(change);
    const eve = { serverPrincipalName: 'EVE' };
    expect([9, 10, 25, 30, 31, 50].map((minute) => isPrivileged(all, minute, eve))).toEqual([
      ...[false, true, true, true, false, false],
    ]);
    expect(isPrivileged(all, 25, { ...eve, serverInstanceName: 'SQL02' })).toBe(false);
    for (const login of ['bob', 'ann'])
      expect(isPrivileged(all, 25, { serverPrincipalName: login })).toBe(false);
    expect(isPrivileged(all, 0, { serverPrincipalName: 'SA' })).toBe(true);
  });

  it('was one before the log began if it is dropped from the role first, and is none once it is dropped itself', () => {
    const all = new Privileged();
    const drop = (minute: number, classType: string, objectName: string, more: object = {}) =>
      event(minute, { actionId: 'DR', objectName, additional: { classType }, ...more });
    for (const change of [
      member(10, 'DPRL', 'sysadmin', 'old'),
      member(10, 'APRL', 'sysadmin', 'eve'),
      member(10, 'APRL', 'db_owner', 'kai'),
      drop(15, 'LX', 'eve', { succeeded: false }),
      drop(20, 'LX', 'Eve', { databaseName: 'master' }),
      drop(20, 'US', 'kai'),
    ])
      all.take(change);
    const times = [0, 10, 11, 15, 20, 21];
    const of = (more: object) => times.map((minute) => isPrivileged(all, minute, more));
    expect(of({ serverPrincipalName: 'old' })).toEqual([true, true, false, false, false, false]);
    expect(of({ serverPrincipalName: 'eve' })).toEqual([false, true, true, true, true, false]);
    expect(of({ databasePrincipalName: 'kai' })).toEqual([false, true, true, true, true, false]);
  });

  it('is so under the new name of a login from its rename on, which was a member or sa', () => {
    const all = new Privileged();
    const rename = (minute: number, statement: string, more: object = {}) =>
      event(minute, { actionId: 'LGNM', objectName: null, statement, ...more });
    const twice = rename(20, 'ALTER LOGIN EVE WITH NAME = svc');
    for (const change of [
      member(10, 'APRL', 'sysadmin', 'eve'),
      rename(15, 'ALTER LOGIN eve WITH NAME = nobody', { succeeded: false }),
      rename(15, 'ALTER LOGIN bob WITH NAME = other'),
      ...[twice, twice],
      rename(30, 'ALTER LOGIN sa WITH NAME = [root]'),
      rename(40, 'ALTER LOGIN svc WITH NAME = SVC'),
      rename(40, 'ALTER LOGIN root WITH NAME = sa'),
      member(50, 'DPRL', 'sysadmin', 'svc'),
    ])
      all.take(change);
    const of = (login: string, more: object = {}) =>
      [9, 19, 21, 31, 41, 51].map((minute) =>
        isPrivileged(all, minute, { serverPrincipalName: login, ...more }),
      );
    expect(of('eve')).toEqual([false, true, false, false, false, false]);
    expect(of('svc')).toEqual([false, false, true, true, true, false]);
    expect(of('root')).toEqual([false, false, false, true, false, false]);
    expect(of('svc', { serverInstanceName: 'SQL02' })).not.toContain(true);
    for (const login of ['nobody', 'bob', 'other'])
      expect([login, of(login).includes(true)]).toEqual([login, false]);
    expect(printed(all.expression)).toContain('serverPrincipalName~"root"');
  });

  it('is a member of a role of a database in that database alone, and a filter finds what each of them did', () => {
    const all = new Privileged();
    all.take(member(10, 'APRL', 'db_owner', 'kai'));
    all.take(member(11, 'APRL', 'sysadmin', 'eve'));
    const kai = { databasePrincipalName: 'KAI' };
    expect(isPrivileged(all, 20, kai)).toBe(true);
    for (const elsewhere of [
      { databaseName: 'CRM' },
      { serverInstanceName: 'SQL02' },
      { databasePrincipalName: null, serverPrincipalName: 'kai' },
    ])
      expect([elsewhere, isPrivileged(all, 20, { ...kai, ...elsewhere })]).toEqual([elsewhere, false]);
    const passes = (more: object) => matches(all.expression, event(20, more) as never);
    for (const named of [
      { serverPrincipalName: 'SA' },
      { serverPrincipalName: 'Eve' },
      { databasePrincipalName: 'kai' },
    ])
      expect([named, passes(named)]).toEqual([named, true]);
    expect(passes({ serverPrincipalName: 'kai', databasePrincipalName: 'eve' })).toBe(false);
  });
});

describe('who is privileged by a role of a role', () => {
  const change = (minute: number, actionId: string, classType: string, role: string, member: string) =>
    ({
      ...{ eventTime: at(minute), succeeded: true, actionId, objectName: role },
      ...{ serverInstanceName: 'SQL01', databaseName: classType === 'RL' ? 'Payroll' : 'master' },
      ...{ serverPrincipalName: null, databasePrincipalName: null },
      additional: { classType, targetServerPrincipalName: member },
    }) as unknown as StoredAuditEvent;

  it('is a member of it while it is one of a powerful role, in whichever order they came', () => {
    const all = new Privileged();
    for (const one of [
      change(10, 'APRL', 'SG', 'ops', 'eve'),
      change(20, 'APRL', 'SG', 'sysadmin', 'Ops'),
      change(20, 'APRL', 'RL', 'db_owner', 'helpers'),
      change(21, 'APRL', 'RL', 'helpers', 'team'),
      ...[change(22, 'APRL', 'RL', 'team', 'kai'), change(23, 'APRL', 'RL', 'team', 'helpers')],
      ...[change(25, 'APRL', 'RL', 'others', 'bob'), change(25, 'APRL', 'RL', 'sysadmin', 'bob')],
      ...[change(30, 'DPRL', 'SG', 'sysadmin', 'ops'), change(40, 'DPRL', 'RL', 'team', 'kai')],
    ])
      all.take(one);
    const at15to45 = (named: object) =>
      [15, 24, 35, 45].map((minute) =>
        all.has({ ...change(minute, 'SL', 'RL', 't', ''), ...named } as StoredAuditEvent),
      );
    expect(at15to45({ serverPrincipalName: 'EVE' })).toEqual([false, true, false, false]);
    expect(at15to45({ databasePrincipalName: 'kai' })).toEqual([false, true, true, false]);
    expect(at15to45({ databasePrincipalName: 'kai', databaseName: 'Crm' })).not.toContain(true);
    for (const named of [{ databasePrincipalName: 'bob' }, { serverPrincipalName: 'kai' }])
      expect([named, at15to45(named).includes(true)]).toEqual([named, false]);
    const filter = printed(all.expression);
    expect(['eve', 'kai', 'bob'].filter((name) => filter.includes(`"${name}"`))).toEqual(['eve', 'kai']);
  });

  it('is known anew after each change, also behind thousands of other roles', () => {
    const all = new Privileged();
    const eve = { ...change(24, 'SL', 'SG', 't', ''), serverPrincipalName: 'eve' } as StoredAuditEvent;
    for (let n = 0; n < 500; n++) all.take(change(10, 'APRL', 'SG', `role${n}`, n === 0 ? 'eve' : 'ops'));
    expect(all.has(eve)).toBe(false);
    all.take(change(20, 'APRL', 'SG', 'role499', 'role0'));
    expect(all.has(eve)).toBe(false);
    all.take(change(21, 'APRL', 'SG', 'sysadmin', 'role499'));
    expect(all.has(eve)).toBe(true);
    all.take(change(23, 'DPRL', 'SG', 'role499', 'role0'));
    expect(all.has(eve)).toBe(false);
  });
});

describe('the sources that are not complete for a period', () => {
  const NOW_MS = Date.parse(at(30));
  const source = (completeThrough: string | null, state = 'current') =>
    ({ hostName: state, databaseName: 'd', completeThrough, state }) as unknown as Source;
  const ms = (time: number) => new Date(time).toISOString();
  const behind = (endTime: string, ...sources: readonly Source[]) =>
    behindAt(sources, endTime, NOW_MS).map(({ completeThrough }) => completeThrough);

  it('are those that are in use and lack events before its end', () => {
    const [before, end] = [ms(Date.parse(at(10)) - 1), at(10)];
    expect(behind(end, source(before), source(end), source(null))).toEqual([before, null]);
    expect(behind(end, source(before, 'retired'), source(null, 'retired'))).toEqual([]);
  });

  it('are not those of a usual lag, where the period has just ended or goes on', () => {
    const usual = ms(NOW_MS - LIMITS.trailBehindMs);
    const late = ms(NOW_MS - LIMITS.trailBehindMs - 1);
    for (const end of [at(30), at(59)]) expect(behind(end, source(usual), source(late))).toEqual([late]);
  });
});

describe('the groups of a section', () => {
  const sections = [{ title: 'Hosts', by: ['hostName'] }] as const;
  const fields = ['hostName', 'eventTime', 'recordId', 'succeeded', 'serverInstanceName'] as const;
  const event = (hostName: string, second: number) => [
    ...[hostName, at(second), recordIdFloor(parseTicks(at(second)) ?? 0n), true, null],
  ];
  const sectionsOf = (hosts: readonly string[]) => {
    const tally = new Tally(sections, fields, new Zone('UTC'), { fromMs: 0, toMs: 1 });
    for (const [i, host] of hosts.entries()) tally.add(event(host, i));
    return tally.sections()[0] as { rows: readonly (readonly unknown[])[]; more: number };
  };

  it('are as many as one may have, and all others together', () => {
    const bound = jest.replaceProperty(LIMITS, 'reportGroupsMax', 2 as never);
    try {
      expect(sectionsOf(['a', 'b', 'a', 'c', 'd', 'b']).rows.map((row) => row.slice(0, 2))).toEqual([
        ['(others)', 2],
        ['a', 2],
        ['b', 2],
      ]);
    } finally {
      bound.restore();
    }
  });
});

describe('what retention removed', () => {
  const removal = (from: string, to: string, events: number) => ({
    from: new Date(from),
    to: new Date(to),
    events,
  });
  const removals = [
    removal('2026-01-01T00:00:00Z', '2026-01-01T23:59:59Z', 3),
    removal('2026-01-02T00:00:00Z', '2026-01-02T23:59:59Z', 4),
    removal('2026-01-03T00:00:00Z', '2026-01-03T23:59:59Z', 5),
  ];

  it('is summed up where it may be of the period', () => {
    const of = (from: string, to: string) =>
      removedIn(removals, `2026-01-${from}.0000000Z`, `2026-01-${to}.0000000Z`);
    expect(of('01T12:00:00', '03T00:00:00')).toEqual({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-02T23:59:59.000Z',
      events: 7,
    });
    expect(of('03T23:59:59', '04T00:00:00')?.events).toBe(5);
    expect(of('04T00:00:00', '05T00:00:00')).toBeNull();
  });

  it('stands behind the rows of each file, so that an empty report is no proof that nothing happened', async () => {
    const question = { startTime: at(0), endTime: at(1), timeZone: 'UTC', filter: null, parameters: {} };
    const head = {
      ...{ runId: 'r', reportId: 'log-ons', title: 'Log-ons', about: '', tenantId: '7', createdAt: at(2) },
      ...{ question, columns: [] },
    };
    const log = { size: 0, root: null, checkpoint: null };
    const end = { rows: 0, gaps: [], behind: [], log, recordIdsRoot: null };
    for (const removed of [
      null,
      { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T23:59:59.000Z', events: 7 },
    ])
      for (const format of ['csv', 'json', 'html'] as const) {
        const text = String(REPORT_FORMATS[format].open(head).end([], { ...end, removed }));
        const wanted = { csv: '#removed', json: '"removed":{', html: '7 events of' }[format];
        expect(text.includes(wanted)).toBe(removed !== null);
      }
  });
});

describe('the gaps of a report', () => {
  it('are those that may lie in its period, half-open', () => {
    const gap = (afterTime: string | null, beforeTime: string | null) => ({
      reason: 'DAMAGED',
      afterTime,
      beforeTime,
    });
    const source = (gaps: readonly object[], more: object = {}) =>
      ({ hostName: 'h', databaseName: 'd', gaps, ...more }) as unknown as Source;
    const found = (...gaps: object[]) => gapsIn([source(gaps)], at(10), at(20)).length;
    expect(found(gap(at(1), at(10)), gap(at(20), null), gap(at(20), at(30)))).toBe(0);
    expect(found(gap(at(1), at(11)), gap(at(19), at(30)), gap(at(1), at(30)), gap(null, null))).toBe(4);
    const more = { hostName: 'h', databaseName: 'd', reason: 'MORE', afterTime: null, beforeTime: null };
    for (const moreGaps of [1, 3]) {
      const many = [source([gap(at(1), at(2))], { moreGaps }), source([], { moreGaps: 0 })];
      expect(gapsIn(many, at(10), at(20))).toEqual([more]);
    }
  });
});

it("a filter that is given narrows a report's own, whatever it says", () => {
  const report = shippedReports().find((one) => one.source === 'events' && one.filter !== undefined);
  if (report?.source !== 'events') throw new Error('a report has a filter');
  const given = parseParameters(MAKE_PARAMETERS, { filter: 'actionId:A OR actionId:B' });
  const asked = askedOf(report, given, Date.parse(at(0)), true);
  if ('problems' in asked) throw new Error(JSON.stringify(asked.problems));
  expect(asked.filter.expression).toMatchObject({ kind: 'and' });
  expect(JSON.stringify(asked.filter.expression)).toContain('"or"');
});

it('numbers of a table end at the right edge of their column', () => {
  const drawn: string[] = [];
  const font = { id: 'F1', lines: () => [{ hex: '0041', width: 1_000 }] };
  const document = {
    draw: (text: string) => drawn.push(text),
    fonts: { text: font, bold: font, mono: font },
  };
  const column = (isRight: boolean): PdfColumn => ({
    ...{ title: 'n', share: 1, isRight, font: 'text' as const, textOf: String },
  });
  const table = new PdfTable(document as never, [column(false), column(true)], 200);
  table.draw(table.lay([1, 2]), 100);
  const places = [...drawn.join('').matchAll(/1 0 0 -1 ([\d.]+) [\d.]+ Tm <0041>/g)].map(([, x]) =>
    Number(x),
  );
  // Columns of 100 points begin at 36 and 136, with 3 points of white; a text is 6.4 points wide.
  expect(places).toEqual([39, 236 - 3 - 6.4]);
});

describe('a saved run', () => {
  const ROWS = '{"report":1,"rows":[\n{"recordId":"r1"},\n{"recordId":"r2"}\n]}\n';
  const key = CheckpointKey.ofPem(newCheckpointKeyPem());
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'saved-run-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const check = async (
    text: string,
    noteOf = (note: string) => note,
    recordIdsRoot: string | null = null,
  ) => {
    const file = { format: 'json', name: 'run.json', bytes: Buffer.byteLength(text) };
    const sha256 = createHash('sha256').update(text).digest('hex');
    const manifest = {
      ...{ version: 1, tenantId: '7', runId: 'x', number: 1, createdAt: at(0), recordIdsRoot },
      ...{ rows: 2, log: { checkpoint: null }, files: [{ ...file, sha256 }] },
    };
    const made = signManifest(manifest as never, key);
    const data = { ...made, note: noteOf(made.note), publicKey: key.verifierKey };
    await writeFile(path.join(folder, 'run.json'), text);
    await writeFile(path.join(folder, 'answer.json'), JSON.stringify({ data }));
    return (await verifyRun(path.join(folder, 'answer.json'), [])).problems;
  };

  it('has as many rows as were signed, no more and no fewer', async () => {
    expect(await check(ROWS)).toEqual([]);
    const more = ROWS.replace('"r2"}', '"r2"},\n{"recordId":"r3"}');
    expect(await check(more)).toEqual(['2 rows were signed, and there are 3']);
    expect(await check(ROWS.replace(',\n{"recordId":"r2"}', ''))).toEqual([
      '2 rows were signed, and there are 1',
    ]);
  });

  it('has one row a line, also where texts have separators of lines that JSON leaves as they are', async () => {
    const ids = [1, 2, 3].map((n) => `0190a5b2-0000-8000-8000-00000000000${n}`);
    const root = new RunningRoot();
    for (const id of ids.slice(0, 2)) root.add(id);
    const rows = (...of: readonly (string | undefined)[]) =>
      `{"report":1,"rows":[\n${of.map((recordId) => JSON.stringify({ recordId, objectName: 'a\u2028b\u2029c\u0085d' })).join(',\n')}\n]}\n`;
    expect(await check(rows(ids[0], ids[1]), undefined, root.root)).toEqual([]);
    expect(await check(rows(ids[0], ids[2]), undefined, root.root)).toEqual([
      'the record ids of the rows are not those that were signed',
    ]);
  });

  it('names the files that are not there, and those that have another size or other bytes', async () => {
    const bytes = { 'a.csv': 'a,b\n', 'b.html': '<p>', 'c.pdf': '%PDF' };
    const files = Object.entries(bytes).map(([name, text]) => ({
      ...{ format: name.slice(2), name, bytes: Buffer.byteLength(text) },
      sha256: createHash('sha256').update(text).digest('hex'),
    }));
    const foreign = CheckpointKey.ofPem(newCheckpointKeyPem());
    const checked = async (written: Readonly<Record<string, string>>, checkpoint: string | null = null) => {
      const manifest = {
        ...{ version: 1, tenantId: '7', runId: 'x', number: 1, createdAt: at(0), recordIdsRoot: null },
        ...{ rows: 2, log: { checkpoint }, files },
      };
      const data = { ...signManifest(manifest as never, key), publicKey: key.verifierKey };
      for (const { name } of files) await rm(path.join(folder, name), { force: true });
      for (const [name, text] of Object.entries(written)) await writeFile(path.join(folder, name), text);
      await writeFile(path.join(folder, 'answer.json'), JSON.stringify(data));
      const found = await verifyRun(path.join(folder, 'answer.json'), [key.verifierKey]);
      return [found.checked, found.absent, found.problems];
    };
    expect(await checked(bytes)).toEqual([['a.csv', 'b.html', 'c.pdf'], [], []]);
    expect(await checked({ 'b.html': '<p>' })).toEqual([['b.html'], ['a.csv', 'c.pdf'], []]);
    expect(await checked({ 'a.csv': 'a,c\n', 'b.html': '<p>', 'c.pdf': '%PDF-1' })).toEqual([
      ...[['a.csv', 'b.html', 'c.pdf'], []],
      ['a.csv is not the file that was signed', 'c.pdf has 6 bytes, and 4 were signed'],
    ]);
    // Another key may have signed the log: it is judged where it is one of those that are given.
    const noteOf = (signer: CheckpointKey) => signed('audit-activity/tenant-7\n3\n', signer);
    const whole = [['a.csv', 'b.html', 'c.pdf'], []];
    for (const note of [noteOf(key), noteOf(foreign)])
      expect(await checked(bytes, note)).toEqual([...whole, []]);
    expect(await checked(bytes, noteOf(key).replace('\n3\n', '\n4\n'))).toEqual([
      ...whole,
      ['the checkpoint of the evidence log is not signed by the key that it names'],
    ]);
  });

  it('has its files beside it: a path in its manifest leads nowhere else', async () => {
    const file = {
      format: 'csv',
      name: '../a.csv',
      bytes: 3,
      sha256: createHash('sha256').update('a,b').digest('hex'),
    };
    const manifest = {
      ...{ version: 1, tenantId: '7', runId: 'x', number: 1, createdAt: at(0), recordIdsRoot: null },
      ...{ rows: 2, log: { checkpoint: null }, files: [file] },
    };
    const data = { ...signManifest(manifest as never, key), publicKey: key.verifierKey };
    await writeFile(path.join(folder, 'answer.json'), JSON.stringify(data));
    await writeFile(path.join(folder, 'a.csv'), 'a,b');
    const found = await verifyRun(path.join(folder, 'answer.json'), []);
    expect([found.checked, found.absent, found.problems]).toEqual([['../a.csv'], [], []]);
  });

  it('is signed by the key that is trusted, and not by nobody', async () => {
    const unsigned = (note: string) => note.slice(0, note.indexOf('\n\n') + 2);
    expect(await check(ROWS, unsigned)).toEqual(['the note is not signed by the key that is trusted']);
  });
});

describe('what is declared sensitive', () => {
  const named = (n: number) =>
    Array.from({ length: n }, (_, i) => ({
      ...{ serverInstanceName: i === 0 ? 'SQL01' : null, databaseName: `d${i}` },
      ...{ schemaName: i < 2 ? 'dbo' : null, objectName: i === 0 ? 't\nu' : null },
    }));

  it('is told by the names of twenty objects, and of further ones by their number', () => {
    const parts = (n: number) => new DeclaredSensitive(named(n)).text.split(', ');
    expect(parts(3)).toEqual(['SQL01.d0.dbo.t⟦U+000A⟧u', 'd1.dbo', 'd2']);
    expect([19, 20, 21, 22].map((n) => [parts(n).length, parts(n).at(-1)])).toEqual([
      [19, 'd18'],
      [20, 'd19'],
      [21, 'and 1 more'],
      [21, 'and 2 more'],
    ]);
  });
});
