import { toRawEvent } from '../../../agent/sqlaudit/raw-event';
import type { Description } from './support/metadata';
import { eventsOfRows } from './support/parts';
import { AuditFileWriter, type EventOptions, type Row } from './support/sqlaudit-writer';

function rawOf(description: Description, row: Row, options?: EventOptions) {
  const [event] = eventsOfRows(AuditFileWriter.describing(description), [row], options);
  if (!event) throw new Error('no event');
  return toRawEvent(event);
}
/** Writes a file with one column of one type, and reads the value back. */
function columnOf(type: string, size: number, value: Row[string]) {
  return rawOf({ types: { [type]: size }, events: { e: { c: type } } }, { c: value }).fields.c;
}

describe('a raw event', () => {
  it.each([
    ['int8', 1, -1, -1],
    ['int16', 2, -2, -2],
    ['int32', 4, -3, -3],
    ['int64', 8, -4n, '-4'],
    ['uint8', 1, 255, 255],
    ['uint16', 2, 65_535, 65_535],
    ['uint32', 4, 4_294_967_295, 4_294_967_295],
    ['uint64', 8, 2n ** 64n - 1n, '18446744073709551615'],
    ['cpu_cycle', 8, 5n, '5'],
    ['boolean', 1, true, true],
    ['boolean', 1, false, false],
    ['filetime', 8, '2025-04-10T08:53:20.0000001Z', '2025-04-10T08:53:20.0000001Z'],
    ['float64', 8, Buffer.from('000000000000f83f', 'hex'), 1.5],
    ['float32', 4, Buffer.from('0000c07f', 'hex'), 'NaN'],
    ['ptr', 8, 0x10n, '0x0000000000000010'],
    ['unicode_string', 0, 'naïve 😀', 'naïve 😀'],
    ['unicode_string', 0, '', ''],
    ['ansi_string', 0, Buffer.from('abc'), 'abc'],
    ['xml', 0, '<a/>', '<a/>'],
    ['guid', 0, '0e9f1367-3400-4f83-8987-bb77e98620eb', '0e9f1367-3400-4f83-8987-bb77e98620eb'],
    ['guid', 0, '', null],
    ['guid', 0, Buffer.from([1, 2]), '0x0102'],
    ['binary_data', 0, Buffer.from([0, 255]), '0x00ff'],
    ['activity_id', 20, Buffer.alloc(20, 1), '01010101-0101-0101-0101-010101010101-16843009'],
    ['never_heard_of', 3, Buffer.from([1, 2, 3]), '0x010203'],
    ['never_heard_of', 0, Buffer.from([4]), '0x04'],
    ['filetime', 4, Buffer.from([1, 2, 3, 4]), '0x01020304'],
    ['int32', 3, Buffer.from([1, 2, 3]), '0x010203'],
  ])('shows %s of %i bytes', (type, size, value, expected) => {
    expect(columnOf(type, size, value)).toEqual(expected);
  });

  it('shows mapped values as their text, and as the number if they have none', () => {
    const description: Description = {
      maps: { colour: { size: 2, texts: { 0: 'none', 3: 'red' } }, wide: { size: 8, texts: { 1: 'one' } } },
      events: { e: { c: 'colour', w: 'wide' } },
    };
    expect(rawOf(description, { c: 3, w: 1n }).fields).toEqual({ c: 'red', w: 'one' });
    expect(rawOf(description, { c: 4, w: 2n ** 40n + 1n }).fields).toEqual({ c: 4, w: '1099511627777' });
  });

  it('combines the texts of a bit set', () => {
    const texts = { 0: 'nothing', 1: 'a', 2: 'b', 3: 'both', 2147483648: 'top' };
    const description: Description = {
      maps: { bits: { size: 4, bits: true, texts } },
      events: { e: { c: 'bits' } },
    };
    const shown = [0, 1, 3, 0x80000001, 4, 5].map((c) => rawOf(description, { c }).fields.c);
    expect(shown).toEqual(['nothing', 'a', 'both', 'a|top', 4, 5]);
    const without: Description = {
      maps: { bits: { size: 4, bits: true, texts: { 1: 'a', 2: 'b', 4: 'c' } } },
      events: { e: { c: 'bits' } },
    };
    expect([0, 3, 5, 6, 8].map((c) => rawOf(without, { c }).fields.c)).toEqual([0, 'a|b', 'a|c', 'b|c', 8]);
  });

  it('shows actions, and ignores flag bits that the server leaves uninitialised', () => {
    const description: Description = {
      types: { int32: 4, unicode_string: 0 },
      actions: { session_id: 'int32', app: 'unicode_string' },
      events: { e: { c: 'int32' } },
    };
    const actions = [
      ['session_id', 51],
      ['app', 'PayrollWeb'],
    ] as const;
    expect(rawOf(description, { c: 1 }, { actions, flagGarbage: 0x7fffffff })).toEqual({
      name: 'e',
      timestamp: '2025-04-10T01:00:00.0000000Z',
      fields: { c: 1 },
      actions: { session_id: 51, app: 'PayrollWeb' },
    });
    expect(rawOf(description, { c: 1 }, { flagGarbage: 0x41424300 }).actions).toEqual({});
  });

  it.each([
    [3_000_000n, '2025-04-10T00:00:01.0000003Z'],
    [1_000_000_000n, '2025-04-10T00:00:01.0000003Z'],
  ])('computes its time from a clock of %s ticks per second', (ticksPerSecond, expected) => {
    const description: Description = {
      clock: { base: 133_887_168_000_000_000n, ticksPerSecond },
      types: { int32: 4 },
      events: { e: { c: 'int32' } },
    };
    expect(rawOf(description, {}, { time: '2025-04-10T00:00:01.0000004Z' }).timestamp.slice(0, 26)).toBe(
      expected.slice(0, 26),
    );
  });
});
