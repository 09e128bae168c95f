import { checkReport } from '../../src/modules/sources/check-report';
import { aGap, aReport } from '../support/audit-sources';

const NOW_MS = Date.parse('2026-03-01T00:00:00Z');
const at = (seconds: number) => new Date(NOW_MS + seconds * 1_000).toISOString();
const checked = (change: object) => checkReport(aReport(change), NOW_MS);

describe('the clock of an agent', () => {
  it.each<[string, object, number | null]>([
    ['of an agent that has published all', { caughtUpAt: at(-400) }, -400],
    ['of one that is ahead', { caughtUpAt: at(90) }, 90],
    ['of one that is right', { caughtUpAt: at(0) }, 0],
    ['ahead while events wait', { caughtUpAt: at(90), waitingBytes: 5 }, 90],
    ['not known while events wait', { caughtUpAt: at(-400), waitingBytes: 5 }, null],
    ['not known while it has a problem', { caughtUpAt: at(-400), problem: 'the disk is full' }, null],
    ['not known of one that never was complete', { caughtUpAt: null }, null],
    [
      'not known of one whose folder is away',
      { caughtUpAt: at(90), shared: { isStandby: true, wholeFiles: [] } },
      null,
    ],
    [
      'known of one that has a shared folder',
      { caughtUpAt: at(90), shared: { isStandby: false, wholeFiles: [] } },
      90,
    ],
  ])('is told by its report: %s', (_, change, seconds) => {
    const { clockAheadMs } = checked(change);
    expect(clockAheadMs === null ? null : clockAheadMs / 1_000).toBe(seconds);
  });

  it('makes no source complete later than now', () => {
    const completeAt = (seconds: number) => Date.parse(checked({ caughtUpAt: at(seconds) }).caughtUpAt ?? '');
    expect([-1, 0, 1, 90].map((seconds) => completeAt(seconds) - NOW_MS)).toEqual([-1_000, 0, 0, 0]);
  });
});

it('a report has its times in one form, and ids of files in lower case', () => {
  const gap = { afterTime: '2026-01-05T10:00:00+02:00', beforeTime: null, detectedAt: '2026-01-05T09:00' };
  const fileGuid = 'E51337B0-990D-48C3-BC9B-8A085513E40F';
  const shared = { isStandby: false, wholeFiles: [fileGuid] };
  expect(checked({ lastEventTime: '2026-01-05', gaps: [aGap(gap)], shared })).toMatchObject({
    lastEventTime: '2026-01-05T00:00:00.0000000Z',
    caughtUpAt: null,
    shared: { wholeFiles: [fileGuid.toLowerCase()] },
    gaps: [
      {
        afterTime: '2026-01-05T08:00:00.0000000Z',
        beforeTime: null,
        detectedAt: '2026-01-05T09:00:00.0000000Z',
      },
    ],
  });
});
