import { hadNoRoom } from '../../src/database/disk-room';
import { DomainError } from '../../src/errors';
import { PlaceWatch } from '../../src/modules/archive/places/place-watch';
import { concernsAll, FAILED, whyUnsealed } from '../../src/modules/archive/why-unsealed';
import { WorkerEnded } from '../../src/store/archive/asked-process';
import { PlaceFailed } from '../../src/store/archive/file-place';
import { within } from '../../src/store/archive/file-sql';
import { FullDisk } from '../../src/store/archive/full-disk';
import { NotProven } from '../../src/store/archive/prove-file';

const by = (cause: unknown) => new Error('outer', { cause: new Error('middle', { cause }) });
const coded = (code: string) => Object.assign(new Error('write'), { code });

describe('why a week stays in rows', () => {
  const unavailable = new DomainError('service_unavailable', { public: 'The counts are not ready.' });
  it.each<readonly [string, unknown, boolean, string]>([
    ['no room on the disk', by(coded('ENOSPC')), true, 'the disk of DATA_DIR is full'],
    ['a quota', by(coded('EDQUOT')), true, 'the disk of DATA_DIR is full'],
    ['what is left to others', new FullDisk('less'), true, 'the disk of DATA_DIR is full'],
    [
      'DuckDB without room',
      by(new Error('IO Error: No space left on device')),
      true,
      'the disk of DATA_DIR is full',
    ],
    [
      'a database without room',
      by(Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' })),
      false,
      'the disk of the database is full',
    ],
    ['a place that fails', by(new PlaceFailed('the bucket is away')), true, 'the bucket is away'],
    [
      'a place that is full',
      new PlaceFailed('the folder fails', { cause: coded('ENOSPC') }),
      true,
      'the place that ARCHIVE_URL names is full',
    ],
    [
      'a file that differs',
      by(new NotProven('leaf 3')),
      false,
      'what was read back from the file is not what the evidence log has',
    ],
    ['a process that ended', by(new WorkerEnded('killed')), false, 'the process that makes files ended'],
    ['a service that says why', unavailable, false, unavailable.message],
    ['anything else', by(new Error('secret text')), false, FAILED],
  ])('is told of %s, and whether other weeks fail likewise', (_, error, isOfAll, text) => {
    expect([whyUnsealed(error), concernsAll(error)]).toEqual([text, isOfAll]);
  });

  it('is no full disk where errors cause each other', () => {
    const one = new Error('a') as Error & { cause?: unknown };
    one.cause = new Error('b', { cause: one });
    expect([hadNoRoom(one), hadNoRoom(undefined), hadNoRoom(coded('EACCES'))]).toEqual([false, false, false]);
  });
});

describe('the watch over the place of files', () => {
  const watching = (isSealed: boolean) => {
    const now = { hasRoom: true, isSealed, warnings: [] as string[] };
    const models = {
      $queryRawUnsafe: async (sql: string) => (sql.includes('EXISTS') ? [{ sealed: now.isSealed }] : []),
    };
    const log = { warn: (_: object, text: string) => void now.warnings.push(text) };
    const watch = new PlaceWatch({ models } as never, null, log as never, () => now.hasRoom);
    return { now, watch };
  };

  it('tells of a disk without room once, again after there was room, and only where weeks lie in files', async () => {
    const { now, watch } = watching(true);
    const states: boolean[] = [];
    for (const hasRoom of [true, false, false, true, false]) {
      now.hasRoom = hasRoom;
      await watch.look();
      states.push(watch.healthy);
    }
    expect(states).toEqual([true, false, false, true, false]);
    expect(now.warnings).toHaveLength(2);
    const without = watching(false);
    without.now.hasRoom = false;
    await without.watch.look();
    expect([without.watch.healthy, without.now.warnings]).toEqual([true, []]);
  });
});

describe('the condition on record ids of files', () => {
  const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
  const one = (from: number, to: number) =>
    `e.record_id >= '${id(from)}'::UUID AND e.record_id < '${id(to)}'::UUID`;
  const stretches = (...pairs: readonly (readonly [number, number])[]) =>
    within(pairs.map(([from, to]) => ({ from: id(from), to: id(to) })) as never);

  it('has the outer bounds first, and each stretch that does not go on from the one before', () => {
    expect(stretches()).toBe('false');
    expect(stretches([1, 2])).toBe(`(${one(1, 2)})`);
    expect(stretches([1, 2], [2, 4])).toBe(`(${one(1, 4)})`);
    expect(stretches([1, 2], [2, 4], [5, 6])).toBe(`(${one(1, 6)} AND ((${one(1, 4)}) OR (${one(5, 6)})))`);
  });
});
