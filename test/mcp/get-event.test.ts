import { eventName } from '../../src/assistants/compact';
import { DETAIL, FIND } from '../../src/assistants/operations';
import { TOOLS } from '../../src/assistants/tools';
import { LIMITS } from '../../src/limits';

describe('the tool get_event', () => {
  const TIME = '2026-01-05T08:00:00.0000000Z';
  const ids = ['1', '2', '1'].map((n, i) => `019b8d2a-9c00-8000-8${i}00-00000000000${n}`);
  const [first = '', second = '', third = ''] = ids;
  const ask = (event: string, totalCount: number) =>
    TOOLS.find(({ name }) => name === 'get_event')?.answer({ event }, async (operation, { recordId }) => {
      if (operation === FIND) return { totalCount, items: ids.map((id) => ({ recordId: id })) };
      return operation === DETAIL ? { recordId } : null;
    });

  it('names the events that a row may mean, where there are several', async () => {
    expect(eventName(TIME, first)).toBe(eventName(TIME, third));
    await expect(ask(eventName(TIME, first), 3)).rejects.toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining(`give the record id of one: ${first}, ${third}`),
    });
    expect(await ask(eventName(TIME, second), 3)).toEqual({ recordId: second });
  });

  it('finds the event of a row among more of its millisecond than a page has', async () => {
    const idOf = (n: number) => `019b8d2a-9c00-8000-8000-${String(n).padStart(12, '0')}`;
    const many = Array.from({ length: 2 * LIMITS.pageSizeMax + 50 }, (_, n) => idOf(n));
    const find = (recordId: string) =>
      TOOLS.find(({ name }) => name === 'get_event')?.answer(
        { event: eventName(TIME, recordId) },
        async (operation, { page, recordId: found }) => {
          if (operation === DETAIL) return { recordId: found };
          if (operation !== FIND) return null;
          const from = (Number(page) - 1) * LIMITS.pageSizeMax;
          const items = many.slice(from, from + LIMITS.pageSizeMax).map((id) => ({ recordId: id }));
          return { totalCount: many.length, items };
        },
      );
    for (const recordId of [idOf(7), idOf(LIMITS.pageSizeMax), idOf(many.length - 1)])
      expect(await find(recordId)).toEqual({ recordId });
    expect(await find(idOf(many.length))).toBeNull();
  });

  it('does not say that there is no such event where it has not looked at all of the millisecond', async () => {
    await expect(ask(`${TIME.slice(0, -5)}/999999`, 100_000)).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
    expect(await ask(`${TIME.slice(0, -5)}/999999`, 3)).toBeNull();
  });
});
