import { TICKS_PER_MS } from '../../src/event/event-time';
import { recordIdFloor } from '../../src/event/record-id';
import { LIMITS } from '../../src/limits';
import { canaryProblems } from '../../src/modules/detection/watch/canary-problems';
import { trailProblems } from '../../src/modules/detection/watch/trail-problems';

const START_MS = Date.UTC(2026, 1, 3, 8);
/** A database that answers a statement by the first text that is in it. */
const owner = (answers: Readonly<Record<string, readonly object[]>>) =>
  ({
    models: {
      $queryRawUnsafe: async (statement: string) =>
        Object.entries(answers).find(([text]) => statement.includes(text))?.[1] ?? [],
    },
  }) as never;

describe('problems of the trail', () => {
  const queued = (tenant_id: number) => ({ tenant_id, at: new Date(START_MS), is_refused: tenant_id === 3 });
  const told = async (stopped: ReadonlyMap<number, string>, disabled: readonly number[] = []) => {
    const answers = {
      'FROM audit_log_queue': [1, 2, 3].map(queued),
      'disabled_at IS NOT NULL': disabled.map((tenant_id) => ({ tenant_id })),
    };
    const found = await trailProblems(owner(answers), stopped, START_MS);
    return found.map(({ tenantId, group }) => [tenantId, String(group.problem).split(': ')[1]]).sort();
  };

  it('tell of an evidence log once: why it has stopped, where that is known, and else that events wait', async () => {
    expect(await told(new Map([[1, 'its head is not as it was left']]))).toEqual([
      [1, 'its head is not as it was left'],
      [2, 'events wait for it'],
      [3, 'what waited for it was changed'],
    ]);
  });

  it('are not told of tenants that are disabled', async () => {
    expect(await told(new Map([[1, 'its head is not as it was left']]), [1, 3])).toEqual([
      [2, 'events wait for it'],
    ]);
  });
});

describe('problems of canaries', () => {
  const told = async (...numbers: readonly number[]) => {
    const rows = numbers.map((number) => ({
      id: recordIdFloor(BigInt(START_MS + number * 300_000) * TICKS_PER_MS),
      ...{ instance: 'PAY01', event_id: '4711', information: `seq=${number}` },
    }));
    const items = rows.map(({ id }) => ({ recordId: id }));
    const answers = { 'FROM audit_dim': [{ tenant_id: 7 }], 'FROM audit_event': rows };
    const nowMs = START_MS + ((numbers.at(-1) ?? 0) + 1) * 300_000;
    const page = async () => ({ items, totalCount: items.length }) as never;
    const found = await canaryProblems(
      { owner: owner(answers), page, service: null as never },
      nowMs,
      async (_tenantId, work) => work(),
    );
    return found.map(({ group }) => String(group.problem).split(' missing')[0]);
  };

  it('are told one by one up to a number, the newest first, and the others by their count', async () => {
    const bound = jest.replaceProperty(LIMITS, 'sourceAlertsMax', 2 as never);
    try {
      expect(await told(1, 2, 3)).toEqual([]);
      expect(await told(1, 3, 6)).toEqual(['Canary numbers 4 to 5 are', 'Canary number 2 is']);
      expect(await told(1, 3, 5, 7, 9)).toEqual(['Canary number 8 is', 'Canary number 6 is', 'Canaries are']);
    } finally {
      bound.restore();
    }
  });
});
