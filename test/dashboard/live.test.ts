import { askingHeaders } from '../../dashboard/src/api/attended';
import { formatState, parseState, viewOf } from '../../dashboard/src/explore/explore-state';
import { blocksOf } from '../../dashboard/src/explore/live/blocks';
import { BEHIND_MAX, followLive, type LiveState } from '../../dashboard/src/explore/live/follow';
import { CAME_MAX, freshIds, mergedRows, notIn, withNews } from '../../dashboard/src/explore/live/rows';
import { LIMITS } from '../../src/limits';

const bytes = (text: string) => new TextEncoder().encode(text);
const message = (id: string, items: readonly unknown[], caughtUp = true) =>
  `id: ${id}\nevent: events\ndata: ${JSON.stringify({ items, caughtUp })}\n\n`;
const END = 'event: end\ndata: {"code":null}\n\n';
const endBy = (code: string) => `event: end\ndata: ${JSON.stringify({ code, message: code })}\n\n`;
const refusedBy = (status: number, code: string) =>
  new Response(JSON.stringify({ error: { code, message: code } }), { status });
/** A stream of pieces. @param isCut whether its connection breaks after them */
const streamOf = (pieces: readonly string[], isCut = false) =>
  new Response(
    new ReadableStream({
      start: (to) => {
        for (const piece of pieces) to.enqueue(bytes(piece));
        if (!isCut) to.close();
      },
      pull: (to) => to.error(new TypeError('network')),
    }),
  );

describe('the live events of a page', () => {
  /** Follows until the answers are used up. */
  const follow = async (answers: readonly (Response | Error)[], id: string | null = null) => {
    const stop = new AbortController();
    const seen = { asked: [] as (string | null)[], items: [] as unknown[], states: [] as LiveState[] };
    const waits: number[] = [];
    let anew = 0;
    const left = [...answers];
    await followLive({
      place: { id },
      signal: stop.signal,
      ask: async (from) => {
        const answer = left.shift();
        if (!answer) stop.abort();
        else seen.asked.push(from);
        if (!answer || answer instanceof Error) throw answer ?? new Error('over');
        return answer;
      },
      onItems: (items) => seen.items.push(...items),
      onAnew: () => anew++,
      onState: (state) => seen.states.push(state),
      rest: async (ms) => void waits.push(ms),
      random: () => 1,
    });
    return { ...seen, waits, anew };
  };

  it('are taken whole, and go on from the last id, wherever a stream was cut', async () => {
    const text = `${message('a', [])}${message('b', [1, 2])}:\nid: c\n\n`;
    for (let cut = 0; cut < text.length; cut++) {
      const { asked, items, anew } = await follow([
        streamOf([text.slice(0, cut >> 1), text.slice(cut >> 1, cut)], true),
        streamOf([END]),
      ]);
      const isWhole = (end: string) => cut >= text.indexOf(end) + end.length;
      expect(items).toEqual(isWhole(message('b', [1, 2])) ? [1, 2] : []);
      const last = isWhole('id: c\n\n') ? 'c' : isWhole(message('b', [1, 2])) ? 'b' : 'a';
      expect(asked).toEqual([null, isWhole(message('a', [])) ? last : null]);
      expect(anew).toBe(isWhole(message('a', [])) ? 1 : 0);
    }
  });

  it('are asked again after waits that grow, until a message comes', async () => {
    const away = new TypeError('fetch failed');
    const { waits, states, asked } = await follow([
      ...[away, away, refusedBy(503, 'service_unavailable'), away, away, away, away],
      streamOf([message('a', [1])], true),
      streamOf([END]),
    ]);
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 1].map((seconds) => seconds * 1_000));
    expect(states.filter(({ kind }) => kind === 'lost')).toContainEqual({ kind: 'lost', seconds: 16 });
    expect(asked.at(-1)).toBe('a');
  });

  it('go on at once after the planned end of a stream', async () => {
    const { waits, asked } = await follow([streamOf([message('a', [1]), END]), streamOf([END])]);
    expect([waits, asked]).toEqual([[], [null, 'a']]);
  });

  it.each([
    ['before the stream', refusedBy(409, 'cursor_of_earlier_log')],
    ['in the stream', streamOf([endBy('cursor_of_earlier_log')])],
  ])('begin anew, with the list asked again, where the log is another one %s', async (_title, answer) => {
    const { asked, anew, items } = await follow([answer, streamOf([message('n', [7]), END])], 'old');
    expect([asked, anew, items]).toEqual([['old', null], 1, [7]]);
  });

  it('begin anew where more has come than anybody reads', async () => {
    const many = Array.from({ length: BEHIND_MAX / 2 }, (_, i) => i);
    const pieces = ['a', 'b', 'c'].map((id) => message(id, many, false));
    const { asked, waits } = await follow([streamOf(pieces), streamOf([END])], 'old');
    expect([asked, waits]).toEqual([['old', null], []]);
    const most = await follow([streamOf([...pieces.slice(0, 2), END]), streamOf([END])], 'old');
    expect(most.asked).toEqual(['old', 'b']);
  });

  it.each(['unauthorized', 'forbidden', 'invalid_parameter'])(
    'end where the service says %s',
    async (code) => {
      const { states, asked } = await follow([refusedBy(400, code), streamOf([END])]);
      expect(states.at(-1)).toMatchObject({ kind: 'refused', error: { code } });
      expect(asked).toEqual([null]);
    },
  );

  it('are read whole where the bytes of a character come in two pieces', async () => {
    const text = 'id: a\ndata: Gehälter 給与 🔑\n\n';
    const whole = bytes(text);
    for (let cut = 1; cut < whole.length; cut++) {
      const body = new ReadableStream<Uint8Array>({
        start: (to) => {
          to.enqueue(whole.slice(0, cut));
          to.enqueue(whole.slice(cut));
          to.close();
        },
      });
      const found = [];
      for await (const block of blocksOf(body)) found.push(block);
      expect([cut, found]).toEqual([cut, [{ event: 'message', id: 'a', data: 'Gehälter 給与 🔑' }]]);
    }
  });

  it('are asked again when a stream falls silent', async () => {
    const silent = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(bytes(':\n\n')) });
    const read = async () => {
      const found = [];
      for await (const block of blocksOf(silent, 15)) found.push(block);
      return found;
    };
    await expect(read()).rejects.toThrow('silent');
  });

  it('may be silent for as long as three signs of life take, and keep the spaces of their data', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const body = streamOf(['data:  a \n\n']).body as ReadableStream<Uint8Array>;
    const data = [];
    for await (const block of blocksOf(body)) data.push(block.data);
    expect(data).toEqual([' a ']);
    expect(timers.mock.calls[0]?.[1]).toBeGreaterThan(3_000 * LIMITS.liveSilenceSeconds);
    timers.mockRestore();
  });
});

describe('the rows of a live page', () => {
  const row = (recordId: string, second: number) => ({
    recordId,
    eventTime: `2026-01-05T08:00:0${second}.0000000Z`,
  });
  const came = (...rows: ReturnType<typeof row>[]) => withNews([], rows, 1_000);

  it('are those of the list with what came, newest first, each once, as many as a page has', () => {
    const listed = [row('c', 5), row('b', 3), row('a', 3)];
    expect(mergedRows(listed, [], 3)).toBe(listed);
    const merged = mergedRows(listed, came(row('e', 4), row('c', 5), row('d', 3)), 4);
    expect(merged.map(({ recordId }) => recordId)).toEqual(['c', 'e', 'd', 'b']);
  });

  it('count what came after the list was asked, and what is not in it', () => {
    const all = [...withNews([], [row('a', 1)], 1_000), ...withNews([], [row('b', 2), row('c', 3)], 2_000)];
    const left = notIn([row('c', 3)], all, 1_500);
    expect(left.map(({ row: { recordId } }) => recordId)).toEqual(['b']);
    expect(notIn([], all, 2_000)).toEqual([]);
  });

  it('are bounded, and new for a few seconds', () => {
    const many = Array.from({ length: CAME_MAX + 5 }, (_, i) => row(String(i), 1));
    const kept = withNews([], many, 1_000);
    expect([kept.length, kept[0]?.row.recordId]).toEqual([CAME_MAX, '5']);
    expect(freshIds(came(row('a', 1)), 2_000)).toEqual(new Set(['a']));
    expect(freshIds(came(row('a', 1)), 9_000)).toEqual(new Set());
  });
});

describe('the switch of a live page', () => {
  it('stands in the address, and in no saved view', () => {
    expect(parseState('live=1').live).toBe(true);
    expect(parseState('').live).toBe(false);
    expect(formatState(parseState('range=1h&live=1'))).toBe('range=1h&live=1');
    expect(viewOf(parseState('range=1h&live=1'))).toBe('range=1h');
  });
});

describe('what a page asks by itself', () => {
  it('says so once nobody has acted for minutes', () => {
    expect(askingHeaders()).toEqual({ 'X-Dashboard': '1' });
    expect(askingHeaders(Date.now() + 6 * 60_000)).toEqual({ 'X-Dashboard': 'unattended' });
  });
});

const { mayBeLive } = jest.requireActual<{ mayBeLive: (state: object) => boolean }>(
  '../../dashboard/src/explore/live/use-live',
);

it.each([
  ['the newest events', {}, true],
  ['the oldest ones first', { descending: false }, false],
  ['an order by another field', { sortBy: 'actionId' }, false],
  ['a later page', { page: 2 }, false],
  ['a range that has ended', { range: { kind: 'between' } }, false],
  ['all', { range: { kind: 'all' } }, true],
  ['today', { range: { kind: 'today' } }, true],
])('new events have a place in a view only on top of the newest ones: %s', (_, more, may) => {
  const view = { range: { kind: 'last' }, sortBy: 'eventTime', descending: true, page: 1, ...more };
  expect(mayBeLive(view)).toBe(may);
});
