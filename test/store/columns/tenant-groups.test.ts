import { LIMITS } from '../../../src/limits';
import { type Column, packCodes } from '../../../src/store/columns/codec';
import type { Block } from '../../../src/store/columns/hour-blocks';
import { TenantGroups } from '../../../src/store/columns/tenant-groups';

/** An hour whose nth event has the nth of the values of each field. */
function hourOf(events: number, values: number): Block {
  const codes = Array.from({ length: events }, (_, i) => i % values);
  const packed = packCodes(codes, values);
  const width = (packed.length * 8) / events >= 16 ? 16 : 8;
  const column: Column = {
    ids: Int32Array.from({ length: values }, (_, i) => i + 1),
    width,
    bytes: packed,
  };
  const outcome: Column = { ids: Int32Array.of(1), width: 0, bytes: new Uint8Array(0) };
  return {
    hour: 1,
    count: events,
    places: null,
    columns: {
      column: (field: string) => (field === 'succeeded' ? outcome : column),
      times: new Int32Array(events),
    },
  } as unknown as Block;
}

const FIELDS = ['serverPrincipalName', 'hostName', 'objectName'] as const;

describe('the groups of one hour', () => {
  it('are counted where few of many combinations occur', () => {
    const groups = new TenantGroups(FIELDS, null);
    groups.add(hourOf(60_000, 50_000));
    const packed = groups.pack();
    expect(packed).toHaveLength(50_000 * (3 + 4));
    expect([...packed.subarray(0, 5)]).toEqual([1, 1, 1, 2, 0]);
    const again = new TenantGroups(FIELDS, null);
    again.take(packed);
    again.take(packed);
    expect([...again.pack().subarray(0, 5)]).toEqual([1, 1, 1, 4, 0]);
  });

  it('are refused as soon as they are more than can be counted', () => {
    const limit = jest.replaceProperty(LIMITS, 'groupsCountedMax', 999 as never);
    try {
      expect(() => new TenantGroups(FIELDS, null).add(hourOf(3_000, 1_000))).toThrow(
        'more than 999 groups by serverPrincipalName and hostName and objectName: narrow the time range',
      );
      const many = new TenantGroups(FIELDS, null);
      many.add(hourOf(3_000, 999));
      expect(many.pack()).toHaveLength(999 * (3 + 4));
    } finally {
      limit.restore();
    }
  });
});
