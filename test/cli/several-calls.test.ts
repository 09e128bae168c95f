import { newKey } from '../../src/caller/key-format';
import { LIMITS } from '../../src/limits';
import { runBeside, runCli } from '../support/cli';

const ENV = { AUDIT_ACTIVITY_URL: 'http://service', AUDIT_ACTIVITY_OPERATOR_KEY: newKey('operator') };

describe('a command that asks the service several times', () => {
  const ask = jest.spyOn(globalThis, 'fetch');
  afterAll(() => ask.mockRestore());
  let asked: Record<string, unknown>[];
  /** Answers the calls of each root field in turn. */
  const answering = (answers: Readonly<Record<string, readonly unknown[]>>) => {
    asked = [];
    const left = new Map(Object.entries(answers).map(([name, all]) => [name, [...all]]));
    ask.mockImplementation(async (_, init) => {
      const { query, variables } = JSON.parse(String(init?.body));
      const [name = ''] = [...left.keys()].filter((one) => new RegExp(`\\b${one}\\b`).test(query));
      asked.push({ name, ...variables });
      return new Response(JSON.stringify({ data: { [name]: left.get(name)?.shift() } }));
    });
  };

  const entry = (operation: string) => ({ operation });
  it('access-log reads on behind empty pages of a search, until it has as many entries as are wanted', async () => {
    const pages = [
      { entries: [entry('a'), entry('b')], hasNextPage: true, endCursor: 'c1' },
      { entries: [], hasNextPage: true, endCursor: 'c2' },
      { entries: [entry('c')], hasNextPage: true, endCursor: 'c3' },
    ];
    answering({ accessLog: pages });
    const { lines } = await runCli(['access-log', '--search', 'x', '--limit', '3', '--json'], ENV);
    const found = JSON.parse(lines[0] ?? '') as { operation: string }[];
    expect(found.map(({ operation }) => operation)).toEqual(['a', 'b', 'c']);
    expect(asked.map(({ after, first }) => [after, first])).toEqual([
      [null, 3],
      ['c1', 1],
      ['c2', 1],
    ]);
  });

  it('access-log reads one page without a search', async () => {
    answering({ accessLog: [{ entries: [entry('a')], hasNextPage: true, endCursor: 'c1' }] });
    expect(await runCli(['access-log', '--limit', '3'], ENV)).toMatchObject({ error: null });
    expect(asked).toHaveLength(1);
  });

  const source = (lastReported: string, gapCount: number) => ({ lastReported, gapCount });
  const sources = [
    source('2026-01-01T00:00:00Z', 0),
    source('2026-01-02T00:00:00Z', 5),
    source('2026-01-03T00:00:00Z', 0),
  ];
  const remove = ['remove-sources', '--reported-before', '2026-01-03T00:00:00Z', '--tenant', '7'];

  it.each([
    [[], '1 sources of tenant 7'],
    [['--with-gaps'], '2 sources of tenant 7'],
  ])(
    'remove-sources %j says how many it would remove, and removes none unless somebody agrees',
    async (more, text) => {
      answering({ auditSources: [sources], removeAuditSources: [] });
      const { error } = await runCli([...remove, ...more], ENV);
      expect(error).toContain(text);
      expect(asked.map(({ name }) => name)).toEqual(['auditSources']);
    },
  );

  it('remove-sources --with-gaps goes on while fewer stay, and tells the sums', async () => {
    const answer = (removed: number, gaps: number, kept: number) => ({ sources: removed, gaps, kept });
    answering({
      auditSources: [sources],
      removeAuditSources: [answer(1, 100, 2), answer(1, 50, 1), answer(1, 7, 0)],
    });
    const { lines } = await runCli([...remove, '--with-gaps', '--yes', '--json'], ENV);
    expect(JSON.parse(lines[0] ?? '')).toEqual({ sources: 3, gaps: 157, kept: 0 });
    answering({ auditSources: [sources], removeAuditSources: [answer(1, 1, 2), answer(0, 1, 2)] });
    const stuck = await runCli([...remove, '--with-gaps', '--yes'], ENV);
    expect(stuck.lines[0]).toContain('; 2 stay');
    expect(asked).toHaveLength(3);
  });

  it('agent-key rotate asks agents of a tenant, and shows its keys alone, those that somebody has to act on first', async () => {
    const key = (keyId: string, tenantId: string, renewal: string | null) => ({
      keyId,
      tenantIds: [tenantId],
      renewal,
    });
    const keys = [
      ...[key('k1', '7', 'current'), key('k2', '7', 'waiting'), key('k3', '8', 'waiting')],
      ...[key('k4', '7', null), key('k5', '7', 'ended')],
    ];
    answering({ renewAgentKeys: [{ asked: 2 }], apiKeys: [keys] });
    const { lines } = await runCli(['agent-key', 'rotate', '--all', '--tenant', '7', '--json'], ENV);
    const told = JSON.parse(lines[0] ?? '');
    expect(told).toMatchObject({ asked: 2, waiting: 1 });
    expect(told.keys.map(({ keyId }: { keyId: string }) => keyId)).toEqual(['k5', 'k2', 'k1']);
    expect(asked[0]).toEqual({ name: 'renewAgentKeys', tenantId: '7' });
    answering({ apiKeys: [keys] });
    await runCli(['agent-key', 'rotate', '--all', '--status'], ENV);
    expect(asked.map(({ name }) => name)).toEqual(['apiKeys']);
  });

  const lost = (tenantId: string, n: number, present = 1) =>
    Array.from({ length: n }, (_, i) => ({ tenantId, erasureId: `${tenantId}-${i}`, present }));

  it.each([
    ['as many erasures', lost('7', LIMITS.erasuresMax + 1), LIMITS.erasuresMax, 1],
    ['as many events', lost('7', 3, LIMITS.erasureEventsMax / 2), 2, 1],
    [
      'the erasures in their order, whose next one is too large',
      lost('7', 1, 2).concat(lost('7', 1, LIMITS.erasureEventsMax), lost('7', 1)),
      1,
      2,
    ],
  ])(
    'erase-again asks a tenant for %s as one call may have, and tells how many are left',
    async (_, all, first, left) => {
      answering({ logEpoch: [{ lostErasures: [...all, ...lost('8', 1)] }], repeatErasures: [{}, {}] });
      const { lines } = await runCli(['erase-again', '--yes'], ENV);
      const of = asked.filter(({ name }) => name === 'repeatErasures');
      expect(of.map(({ tenantId, erasureIds }) => [tenantId, (erasureIds as string[]).length])).toEqual([
        ['7', first],
        ['8', 1],
      ]);
      expect(lines.join('\n')).toContain(`${left} erasures are left`);
    },
  );

  it('sources shows that a source was never caught up, and else how far it is behind', async () => {
    const behind = (hostName: string, lag: number | null) => ({
      tenantId: '7',
      hostName,
      databaseName: 'd',
      lag,
    });
    answering({ auditSources: [[behind('A', null), behind('B', 0), behind('C', 61.6)]] });
    const { lines } = await runCli(['sources'], ENV);
    expect(
      lines
        .join('\n')
        .split('\n')
        .slice(-3)
        .map((line) => /^7 +([ABC]) +d +(never|\d+ s)/.exec(line)?.slice(1)),
    ).toEqual([
      ['A', 'never'],
      ['B', '0 s'],
      ['C', '62 s'],
    ]);
  });

  it('destination rotate-secret finds the type of a destination whose id is in capital letters', async () => {
    const destinationId = '5f0ad6f0-6a0c-4f0e-9c59-3f1d9e6f7a11';
    const rotated = { destinationId, secret: null, publicKey: null, overlapEndsAt: null };
    answering({
      destinations: [[{ destinationId, type: 'splunk-hec' }]],
      rotateDestinationSecret: [rotated],
    });
    const args = ['destination', 'rotate-secret', destinationId.toUpperCase(), '--secret-file', '-'];
    expect(await runBeside({ readInput: async () => 'tok' }, args, ENV)).toMatchObject({ error: null });
    expect(asked.at(-1)).toMatchObject({ secrets: { token: 'tok' } });
  });

  it('incident list takes only states that an incident may have', async () => {
    answering({ tenantIncidents: [{ items: [] }, { items: [] }, { items: [] }] });
    for (const status of ['new', 'acknowledged', 'resolved'])
      expect(await runCli(['incident', 'list', '--status', status], ENV)).toMatchObject({ error: null });
    const { error } = await runCli(['incident', 'list', '--status', 'suppressed'], ENV);
    expect(error).toContain('Allowed choices are');
    expect(asked).toHaveLength(3);
  });

  it('report schedule list shows that a schedule is paused in place of its next time', async () => {
    const schedule = (name: string, paused: boolean) => ({ name, paused, nextRunAt: '2026-01-05T06:00:00Z' });
    answering({ reportSchedules: [[schedule('daily', false), schedule('weekly', true)]] });
    const { lines } = await runCli(['report', 'schedule', 'list', '--tenant', '7'], ENV);
    const [daily, weekly] = lines.join('\n').split('\n').slice(-2);
    expect([daily?.includes('2026-01-05'), daily?.includes('paused')]).toEqual([true, false]);
    expect([weekly?.includes('2026-01-05'), weekly?.includes('paused')]).toEqual([false, true]);
  });
});
