import type { PackageCheck } from '../../src/cli/package-file';
import { packageText, runText, textOf } from '../../src/cli/verify-report';
import type { Report } from '../../src/modules/evidence/verify/verifier';
import type { RunCheck } from '../../src/modules/reports/verify-run';

const SOUND = {
  tenantId: '7',
  isSound: true,
  isChanged: false,
  findings: [],
  problems: [],
  notes: [],
  events: 12,
  entries: 15,
  checkpoint: null,
  removed: 0,
  erased: 0,
  erasures: [],
  newer: 0,
  unjudged: 0,
  unsigned: 0,
} satisfies Report;
const CHECKPOINT = { number: 4, time: '2026-01-05T08:00:00Z', size: 15 };
const PINNED = { keys: ['a', 'b'], isPinned: true };
const many = (count: number) => Array.from({ length: count }, (_, i) => i);
const linesOf = (change: object, trust: Parameters<typeof textOf>[1] = PINNED) =>
  textOf({ ...SOUND, ...change } as Report, trust).split('\n');

describe('what verify says of a log', () => {
  it('is one sentence where all is as it was accepted, and the key', () => {
    expect(linesOf({})).toEqual([
      'tenant 7: all 12 events are as they were accepted, and none is missing',
      '  key a, b',
    ]);
    expect(linesOf({ events: 0 })[0]).toBe(
      'tenant 7: all 0 events are as they were accepted, and none is missing',
    );
  });

  it('says that the key is only what the service states, unless its reader named one', () => {
    expect(linesOf({}, { keys: ['a'], isPinned: false }).at(-1)).toMatch(
      /^ {2}key a \(as the service states/,
    );
  });

  it('has a line each for the checkpoint, the witnesses, removed entries and newer ones', () => {
    const change = { checkpoint: CHECKPOINT, removed: 3, newer: 2, notes: ['a note'] };
    const [quorum, none] = [{ missing: null }, { missing: '1 of 2 is missing' }];
    expect(linesOf(change, { ...PINNED, quorum }).slice(1, -1)).toEqual([
      '  note: a note',
      '  15 entries, checkpoint 4 of 2026-01-05T08:00:00Z',
      '  witnesses: it has the quorum of the policy',
      '  3 of them without their event: removed by retention, as it recorded',
      '  2 of them were accepted while the events were fetched, and are not looked at',
    ]);
    expect(linesOf({}, { ...PINNED, quorum: none })[1]).toBe('  witnesses: 1 of 2 is missing');
  });

  it('has a line for each of the 20 newest erasures', () => {
    const erasures = many(22).map((n) => ({ at: `T${n}`, events: n, erasedBy: 'carol', reason: 'asked' }));
    expect(linesOf({ erased: 231, erasures }).slice(1, -1)).toEqual([
      '  231 of them without their event: erased',
      ...erasures.slice(2).map(({ at, events }) => `  erased ${at}: ${events} events, by carol: asked`),
    ]);
  });

  it('names the first record that fails, and the first problem where no record does', () => {
    const one = { recordId: 'r0', eventTime: 'T', kind: 'altered' };
    const changed = { isSound: false, isChanged: true, problems: ['the root is another'] };
    expect(linesOf({ ...changed, findings: [one] }).slice(0, 3)).toEqual([
      'tenant 7: NOT as accepted. First: record r0 altered',
      '  r0  T  altered: it is not what was accepted',
      '  log: the root is another',
    ]);
    expect(linesOf(changed)[0]).toBe('tenant 7: NOT as accepted. the root is another');
  });

  it('gives no verdict where it cannot, and says on how many events', () => {
    const without = { isSound: false, problems: ['no key'] };
    expect(linesOf(without)[0]).toBe('tenant 7: NO VERDICT. no key');
    expect(linesOf({ ...without, unjudged: 5 })[0]).toBe('tenant 7: NO VERDICT on 5 of 12 events. no key');
  });

  it('names at most twenty time stamps that do not verify, and the newest that does', () => {
    const newest = { number: 4, size: 15, time: 'T' };
    const stamped = (count: number, isAuthorityChecked: boolean) =>
      linesOf(
        {},
        {
          ...PINNED,
          timeStamps: { verified: 2, newest, isAuthorityChecked, problems: many(count).map((n) => `p${n}`) },
        },
      ).slice(1, -1);
    const told = '  time stamp: an authority had checkpoint 4 (15 entries) at T';
    const shown = many(20).map((n) => `  p${n}`);
    expect(stamped(20, true)).toEqual([...shown, `${told}; the newest of 2`]);
    expect(stamped(23, false)).toEqual([
      ...shown,
      '  and 3 more',
      `${told} (nobody asked who it is; give --timestamp-ca); the newest of 2`,
    ]);
  });

  it.each([
    [20, null],
    [21, '  and 1 more'],
    [23, '  and 3 more'],
  ])('names at most twenty of %i records', (count, more) => {
    const findings = many(count).map((i) => ({ recordId: `r${i}`, eventTime: 'T', kind: 'missing' }));
    const lines = linesOf({ isSound: false, isChanged: true, findings });
    expect(lines.filter((line) => line.includes('  T  '))).toHaveLength(20);
    expect(lines.find((line) => line.includes('more')) ?? null).toBe(more);
  });
});

describe('what verify says of a report', () => {
  const check = (change: object) =>
    ({
      manifest: {
        reportId: 'activity',
        runId: 'x1',
        tenantId: '7',
        createdAt: 'T',
        rows: 3,
        log: { size: 9 },
      },
      checked: ['report.csv'],
      absent: ['report.pdf'],
      problems: [],
      unjudged: null,
      ...change,
    }) as unknown as RunCheck;

  it('is whether it is as it was signed, and by which key', () => {
    expect(runText(check({}), true).split('\n')).toEqual([
      'report activity, run x1 of tenant 7: as it was signed',
      '  made T, 3 rows, the evidence log had 9 entries',
      '  checked: report.csv',
      '  not here: report.pdf',
    ]);
    const changed = runText(check({ problems: ['report.csv has\nother bytes'] }), false).split('\n');
    expect(changed[0]).toBe('report activity, run x1 of tenant 7: NOT as it was signed');
    // A file of somebody else writes no line of its own into a terminal.
    expect(changed).toHaveLength(6);
    expect(changed[5]).toContain('the answer itself states');
  });

  it('is no verdict where a key signed it that nobody trusts here', () => {
    const unjudged = 'the note is signed by the key k1';
    expect(runText(check({ unjudged }), true).split('\n').slice(0, 3)).toEqual([
      'report activity, run x1 of tenant 7: NO VERDICT',
      '  made T, 3 rows, the evidence log had 9 entries',
      `  ${unjudged}`,
    ]);
    const changed = runText(check({ unjudged, problems: ['x'] }), true);
    expect(changed).toContain('NOT as it was signed');
  });
});

describe('what verify says of an evidence package', () => {
  const check = (change: object) =>
    ({
      manifest: { tenantId: '7', createdBy: 'analyst', createdAt: 'T', question: { from: 'A', to: 'B' } },
      checkpoint: CHECKPOINT,
      isSound: true,
      events: 30,
      proven: 30,
      problems: [],
      notes: [],
      findings: [],
      keys: ['a'],
      ...change,
    }) as unknown as PackageCheck;

  it('has the question, the checkpoint and the key', () => {
    expect(packageText(check({ notes: ['n'] }), true).split('\n')).toEqual([
      'package of tenant 7: all 30 events are as they were accepted',
      '  asked by analyst, T: from A, to B',
      '  note: n',
      '  checkpoint 4 of 2026-01-05T08:00:00Z, 15 entries',
      '  key a',
    ]);
  });

  it('says that it asked for all events, and leaves out what the package does not have', () => {
    const manifest = { tenantId: '7', createdBy: 'analyst', createdAt: 'T', question: {} };
    expect(packageText(check({ manifest }), true)).toContain('T: all events');
    const bare = packageText(check({ manifest: null, checkpoint: null }), false).split('\n');
    expect(bare).toEqual([
      'package of tenant ?: all 30 events are as they were accepted',
      '  key a (as the package states it; give --public-key to trust your own)',
    ]);
  });

  it.each([
    [10, 20, null],
    [9, 20, '  and 1 more'],
    [5, 20, '  and 5 more'],
  ])('names at most twenty events where %i are proven', (proven, named, more) => {
    const findings = many(30 - proven).map((i) => ({
      line: i,
      recordId: i ? `r${i}` : '',
      problem: 'other',
    }));
    const lines = packageText(check({ isSound: false, proven, findings, problems: ['p'] }), true).split('\n');
    expect(lines[0]).toBe(`package of tenant 7: NOT as signed. ${30 - proven} of 30 events are not proven`);
    expect(lines[2]).toBe('  line 0  other');
    expect(lines.filter((line) => line.endsWith('  other'))).toHaveLength(named);
    expect(lines.find((line) => line.includes('more')) ?? null).toBe(more);
    expect(lines).toContain('  file p');
  });
});
