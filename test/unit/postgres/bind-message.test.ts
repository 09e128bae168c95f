import fc from 'fast-check';
import { serialize } from 'pg-protocol';
import { bindMessage } from '../../../src/database/bind-message';

const VALUE = fc.oneof(
  fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && text.isWellFormed()),
  fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes)),
  fc.integer(),
  fc.constant(null),
);

describe('bindMessage', () => {
  it("says byte for byte what pg's own writer says", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\w{0,10}$/), fc.array(VALUE), (statement, values) => {
        const texts = values.map((value) => (typeof value === 'number' ? String(value) : value));
        expect(Buffer.concat(bindMessage(statement, values))).toEqual(
          serialize.bind({ statement, values: texts }),
        );
      }),
    );
  });

  it('has large values among its pieces as they are', () => {
    const value = Buffer.alloc(1_000_000);
    expect(bindMessage('s', [value])).toContain(value);
  });
});
