import { aroundHref, entityHref, eventsHref, exploreHref } from '../../dashboard/src/alerts/explore-links';
import { parseState } from '../../dashboard/src/explore/explore-state';
import { parseTicks } from '../../src/event/event-time';

const IDS = ['0198f0a0-0000-7000-8000-000000000001', '0198f0a0-0000-7000-8000-000000000002'];
const SPANS = [
  { firstEventTime: '2026-01-05T08:00:00.0000000Z', lastEventTime: '2026-01-05T08:00:00.0000000Z' },
  { firstEventTime: '2026-01-05T08:00:00.0009999Z', lastEventTime: '2026-01-05T09:59:59.9999999Z' },
];
const LINKS = [
  ['to the events of a finding', (span: (typeof SPANS)[0]) => eventsHref(IDS, span), 1_000],
  ['to what happened around it', (span: (typeof SPANS)[0]) => aroundHref(span, 'SQL01\\PAY'), 5 * 60_000],
  ['to what a login did', (span: (typeof SPANS)[0]) => entityHref('principalName', 'sa', span), 3600_000],
] as const;

const stateOf = (href: string | null) => {
  expect(href).toMatch(/^\/explore\?/);
  return parseState(href?.split('?')[1] ?? '');
};
const ticks = (text: string) => parseTicks(text) ?? 0n;

describe('a link from an alert', () => {
  it.each(LINKS)(
    '%s shows its first and its last event, and so long before and after',
    (_, hrefOf, aroundMs) => {
      for (const span of SPANS) {
        const { range } = stateOf(hrefOf(span));
        if (range.kind !== 'fixed') throw new Error('the link has no times');
        const [from, to] = [ticks(range.from), ticks(range.to)];
        // The end is exclusive, and a range has milliseconds where events have seven decimals.
        expect(to).toBeGreaterThan(ticks(span.lastEventTime));
        expect(from).toBeLessThanOrEqual(ticks(span.firstEventTime));
        expect(Number(to - ticks(span.lastEventTime)) / 10_000).toBeGreaterThan(aroundMs - 1);
        expect(Number(to - ticks(span.lastEventTime)) / 10_000).toBeLessThanOrEqual(aroundMs);
        expect(Number(ticks(span.firstEventTime) - from) / 10_000).toBeGreaterThanOrEqual(aroundMs);
        expect(Number(ticks(span.firstEventTime) - from) / 10_000).toBeLessThan(aroundMs + 1);
      }
    },
  );

  it('names exactly the events, the instance, or the value', () => {
    const [span] = SPANS as [(typeof SPANS)[0]];
    expect(stateOf(eventsHref(IDS, span)).filter).toBe(`recordId:(${IDS.join(' OR ')})`);
    expect(stateOf(aroundHref(span, 'SQL01\\PAY')).filter).toBe('serverInstanceName:SQL01\\PAY');
    expect(stateOf(aroundHref(span, null)).filter).toBe('');
    expect(stateOf(entityHref('principalName', 'svc etl', span)).filter).toBe('principalName:"svc etl"');
    expect(stateOf(entityHref('clientIp', null, span)).filter).toBe('NOT clientIp:*');
    expect(stateOf(entityHref('sessionId', '51', span)).filter).toBe('sessionId:51');
    expect(entityHref('connectionId', '51', span)).toBeNull();
  });

  it('to an event alone has no range', () => {
    expect(exploreHref({ event: IDS[0] ?? '' })).toBe(`/explore?event=${IDS[0]}`);
    expect(exploreHref({})).toBe('/explore');
  });
});
