import { sourcesOfInstance } from '../../../src/modules/sources/concerned-sources';

const MINUTE_MS = 60_000;
const NEWEST_MS = Date.parse('2026-05-04T08:00:00Z');
const at = (minutes: number) => new Date(NEWEST_MS + minutes * MINUTE_MS).toISOString();
/** @param minutes after the newest event of the instance */
const source = (
  hostName: string,
  state: string,
  minutes: { readonly event: number | null; readonly complete: number | null; readonly reported: number },
) => ({
  tenantId: '7',
  ...{ hostName, state },
  lastEventTime: minutes.event === null ? null : at(minutes.event),
  completeThrough: minutes.complete === null ? null : at(minutes.complete),
  lastReported: at(minutes.reported),
});
const OTHER = source('DR7', 'gaps', { event: 0, complete: 30, reported: 30 });

describe('the sources that may have the events of a server instance', () => {
  const of = (...own: readonly ReturnType<typeof source>[]) =>
    sourcesOfInstance('SQL01', [...own, OTHER], NEWEST_MS)?.map(({ hostName }) => hostName) ?? null;

  it('are those of the host that bears its name, while it has the newest event or may get it yet', () => {
    expect(of(source('SQL01', 'current', { event: 0, complete: 30, reported: 30 }))).toEqual(['SQL01']);
    expect(of(source('SQL01', 'current', { event: -9, complete: 4, reported: 4 }))).toEqual(['SQL01']);
    expect(of(source('SQL01', 'lagging', { event: -9, complete: -9, reported: 30 }))).toEqual(['SQL01']);
    expect(of(source('SQL01', 'problem', { event: null, complete: null, reported: 30 }))).toEqual(['SQL01']);
    expect(of(source('SQL01', 'stale', { event: -9, complete: -9, reported: -4 }))).toEqual(['SQL01']);
    expect(of(source('SQL01', 'retired', { event: 0, complete: 0, reported: 30 }))).toEqual(['SQL01']);
  });

  it('are all where the newest event came from elsewhere: the instance runs on another host by now', () => {
    expect(of(source('SQL01', 'current', { event: -9, complete: 6, reported: 6 }))).toBeNull();
    expect(of(source('SQL01', 'stale', { event: -9, complete: -9, reported: -6 }))).toBeNull();
    expect(of(source('SQL01', 'retired', { event: -9, complete: -9, reported: -6 }))).toBeNull();
    expect(of(source('SQL02', 'current', { event: 0, complete: 0, reported: 0 }))).toBeNull();
  });

  it('are those of the host where one of its several sources has the newest event', () => {
    const quiet = source('SQL01', 'current', { event: -9, complete: 30, reported: 30 });
    const busy = source('SQL01', 'current', { event: 0, complete: 30, reported: 30 });
    expect(of(quiet, busy)).toEqual(['SQL01', 'SQL01']);
  });
});
