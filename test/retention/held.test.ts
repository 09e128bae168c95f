import { matches } from '../../src/event/expression/matches';
import { heldBy } from '../../src/modules/tenants/holds/held';

const event = (actionId: string, databaseName: string) =>
  ({ actionId, databaseName, statement: null, additional: {} }) as never;

describe('what holds keep', () => {
  it('is nothing without a hold, and everything with one of every event', () => {
    expect(heldBy([])).toBe('nothing');
    expect(heldBy([null])).toBe('everything');
    expect(heldBy(['actionId:SL', null])).toBe('everything');
  });

  it.each([[['actionId:(']], [['actionId:SL', 'noField:x']], [['"', 'actionId:SL']]])(
    'is everything where a filter cannot be read, so that nothing is removed by mistake: %j',
    (filters) => {
      expect(heldBy(filters)).toBe('everything');
    },
  );

  it('is what one of them keeps', () => {
    const held = heldBy(['actionId:SL', 'databaseName:Pay AND actionId:UP']);
    if (typeof held === 'string') throw new Error(held);
    const kept = (['SL', 'UP'] as const).flatMap((action) =>
      ['Pay', 'Shop'].map((database) => [action, database, matches(held, event(action, database))]),
    );
    expect(kept).toEqual([
      ['SL', 'Pay', true],
      ['SL', 'Shop', true],
      ['UP', 'Pay', true],
      ['UP', 'Shop', false],
    ]);
  });
});
