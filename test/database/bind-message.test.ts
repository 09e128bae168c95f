import fc from 'fast-check';
import { serialize } from 'pg-protocol';
import { bindMessage } from '../../src/database/bind-message';

const VALUE = fc.oneof(
  fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && text.isWellFormed()),
  fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes)),
  fc.integer(),
  fc.constant(null),
);

describe('bindMessage', () => {
  it("makes byte for byte the same message as pg's own writer", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\w{0,10}$/), fc.array(VALUE), (statement, values) => {
        const texts = values.map((value) => (typeof value === 'number' ? String(value) : value));
        expect(Buffer.concat(bindMessage(statement, values))).toEqual(
          serialize.bind({ statement, values: texts }),
        );
      }),
    );
  });

  it('holds large values as pieces of their own, without a copy', () => {
    const value = Buffer.alloc(1_000_000);
    expect(bindMessage('s', [value])).toContain(value);
  });
});
