import fc from 'fast-check';
import { parseTicks, TICKS_PER_MS } from '../../src/event/event-time';
import { idText, recordIdFloor, recordIdOf, ticksOfRecordId, writeRecordId } from '../../src/event/record-id';
import { isUuid } from '../../src/event/uuid';

/** The times that an id can hold: 48 bits of milliseconds since 1970. */
const END = (1n << 48n) * TICKS_PER_MS;
const ticks = fc.bigInt({ min: 0n, max: END - 1n });
const tenantId = fc.integer({ min: 1, max: 2_147_483_647 });
const source = fc.record({
  fileGuid: fc.uuid(),
  blockOffset: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  index: fc.nat(),
});

describe('a record id', () => {
  it('is a UUID of version 8 and the RFC variant', () => {
    fc.assert(
      fc.property(tenantId, ticks, source, (tenant, t, s) => {
        const id = recordIdOf(tenant, t, s);
        expect(isUuid(id)).toBe(true);
        expect(id[14]).toBe('8');
        expect('89ab').toContain(id[19]);
        expect(id).toBe(id.toLowerCase());
      }),
    );
  });

  it('holds the exact time of its event', () => {
    fc.assert(
      fc.property(tenantId, ticks, source, (tenant, t, s) => ticksOfRecordId(recordIdOf(tenant, t, s)) === t),
    );
    for (const t of [0n, 1n, 3n, 4n, 9_999n, END - 1n]) {
      expect(ticksOfRecordId(recordIdOf(1, t, { fileGuid: 'g', blockOffset: 0, index: 0 }))).toBe(t);
    }
  });

  it('is written as bytes in the same way', () => {
    fc.assert(
      fc.property(tenantId, ticks, source, (tenant, t, s) => {
        const bytes = Buffer.alloc(16);
        const place = [tenant, s.fileGuid, s.blockOffset, s.index].join('\n');
        writeRecordId(bytes, Number(t / TICKS_PER_MS), Number(t % TICKS_PER_MS), place);
        expect(idText(bytes)).toBe(recordIdOf(tenant, t, s));
      }),
    );
  });

  it('sorts by the time of its event, to the last 100 ns', () => {
    const near = fc
      .tuple(ticks, fc.bigInt({ min: 1n, max: 20_000n }))
      .map(([t, step]) => [t, t + step] as const);
    const far = fc.tuple(ticks, ticks);
    fc.assert(
      fc.property(fc.oneof(near, far), source, source, ([a, b], s1, s2) => {
        fc.pre(a !== b && a < END && b < END);
        expect(recordIdOf(1, a, s1) < recordIdOf(2, b, s2)).toBe(a < b);
      }),
    );
  });

  it('is the same for the same record, whatever the path and the name of its file', () => {
    fc.assert(
      fc.property(tenantId, ticks, source, fc.string(), (tenant, t, s, file) => {
        expect(recordIdOf(tenant, t, { ...s, file } as typeof s)).toBe(recordIdOf(tenant, t, { ...s }));
      }),
    );
  });

  it('differs if the tenant, file, block or index differs', () => {
    fc.assert(
      fc.property(tenantId, ticks, source, (tenant, t, s) => {
        const ids = [
          recordIdOf(tenant, t, s),
          recordIdOf(tenant === 1 ? 2 : tenant - 1, t, s),
          recordIdOf(tenant, t, { ...s, fileGuid: s.fileGuid === NIL ? ONE : NIL }),
          recordIdOf(tenant, t, { ...s, blockOffset: s.blockOffset + 512 }),
          recordIdOf(tenant, t, { ...s, index: s.index + 1 }),
        ];
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });

  it('keeps the parts of its position apart: digits moved from one part to the next give another id', () => {
    const t = parseTicks('2026-01-05') ?? 0n;
    const ids = [
      recordIdOf(1, t, { fileGuid: NIL, blockOffset: 12, index: 3 }),
      recordIdOf(1, t, { fileGuid: NIL, blockOffset: 1, index: 23 }),
      recordIdOf(11, t, { fileGuid: NIL, blockOffset: 2, index: 3 }),
    ];
    expect(new Set(ids).size).toBe(3);
  });
});

const NIL = '00000000-0000-0000-0000-000000000000';
const ONE = '00000000-0000-0000-0000-000000000001';

describe('the floor of record ids at a time', () => {
  it('is not above any id of that time, and is above every id of an earlier time', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: END - 1n }), source, (t, s) => {
        const floor = recordIdFloor(t);
        expect(isUuid(floor)).toBe(true);
        expect(floor <= recordIdOf(1, t, s)).toBe(true);
        expect(floor > recordIdOf(1, t - 1n, s)).toBe(true);
      }),
    );
  });

  it('is the lowest possible id of that time: its hash is zero', () => {
    fc.assert(fc.property(ticks, (t) => ticksOfRecordId(recordIdFloor(t)) === t));
    expect(recordIdFloor(5n)).toMatch(/-9000-000000000000$/);
  });

  it('is clamped to the possible ids, so that any time can bound a range', () => {
    const lowest = recordIdFloor(0n);
    const highest = recordIdFloor(END);
    fc.assert(
      fc.property(ticks, source, (t, s) => {
        expect(lowest <= recordIdOf(1, t, s)).toBe(true);
        expect(highest >= recordIdOf(1, t, s)).toBe(true);
      }),
    );
    expect(recordIdFloor(-1n)).toBe(lowest);
    expect(recordIdFloor(END * 2n)).toBe(highest);
    expect(isUuid(lowest) && isUuid(highest)).toBe(true);
  });
});

it('a UUID is recognised by its shape, in either letter case', () => {
  fc.assert(fc.property(fc.uuid(), (id) => isUuid(id) && isUuid(id.toUpperCase())));
  for (const text of ['', NIL.slice(1), `${NIL} `, `{${NIL}}`, NIL.replaceAll('-', ''), `${NIL}\n`]) {
    expect(isUuid(text)).toBe(false);
  }
});
