import fc from 'fast-check';
import { TextBytes } from '../../src/store/bytes/text-bytes';

const PIECE_BYTES = 64 * 1024;

it('texts and bytes come out in their order, however long they are', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 50 }),
    fc.integer({ min: 0, max: 70_000 }).map((length) => '界'.repeat(length)),
    fc.integer({ min: 0, max: 70_000 }).map((length) => 'a'.repeat(length)),
  );
  const added = fc.record({ text, isBytes: fc.boolean(), isTaken: fc.boolean() });
  fc.assert(
    fc.property(fc.array(added, { maxLength: 30 }), (all) => {
      const bytes = new TextBytes();
      const taken: Buffer[] = [];
      for (const one of all) {
        if (one.isBytes) bytes.addBytes(Buffer.from(one.text));
        else bytes.add(one.text);
        if (one.isTaken) taken.push(...bytes.take());
      }
      taken.push(...bytes.take());
      expect(bytes.take()).toEqual([]);
      expect(Buffer.concat(taken).toString()).toBe(all.map((one) => one.text).join(''));
    }),
    { numRuns: 60 },
  );
});

it('short texts share pieces of bounded size', () => {
  const bytes = new TextBytes();
  for (let n = 0; n < 3_000; n++) bytes.add(`${n}`.padStart(100, '0'));
  const pieces = bytes.take();
  expect(pieces.length).toBeLessThan(8);
  for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(PIECE_BYTES);
});

it.each([100, 4_000, 5_000, 21_000, 70_000])(
  'texts of %i characters take little more memory than they have bytes',
  (chars) => {
    const bytes = new TextBytes();
    for (let n = 0; n < 100; n++) bytes.add('a'.repeat(chars));
    const memory = new Set(bytes.take().map(({ buffer }) => buffer));
    const held = [...memory].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(held).toBeLessThan(1.25 * 100 * chars + PIECE_BYTES);
  },
);
