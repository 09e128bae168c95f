import { summaryOf } from '../../dashboard/src/sources/source-state';
import { SOURCES } from '../../dashboard/src/sources/texts';

it('all sources are told in one line, by their states', () => {
  const states = [
    { state: 'stale', sources: 3 },
    { state: 'current', sources: 1_997 },
  ] as const;
  expect(summaryOf([...states], SOURCES)).toBe('2,000 sources: 3 stale, 1,997 current');
});
