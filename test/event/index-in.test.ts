import fc from 'fast-check';
import { indexIn } from '../../src/event/index-in';

describe('a part of a text', () => {
  const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });

  it('is found where indexOf finds it, in short and in long texts', () => {
    const around = fc.tuple(letters(6_000), letters(700), letters(6_000), fc.nat(12));
    fc.assert(
      fc.property(around, letters(4), ([before, part, after, from], end) => {
        const text = before + part + after;
        expect(indexIn(text, part, from)).toBe(text.indexOf(part, from));
        expect(indexIn(text, part + end, from)).toBe(text.indexOf(part + end, from));
      }),
    );
  });

  it('is searched for in time that does not grow with the product of both lengths', () => {
    const part = `xy${'x'.repeat(500)}`;
    const text = 'x'.repeat(2_000_000);
    const cpuMs = (work: () => unknown) => {
      const start = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    };
    const own = cpuMs(() => expect(indexIn(text, part, 0)).toBe(-1));
    expect(own).toBeLessThan(cpuMs(() => text.indexOf(part)));
    expect(indexIn(text + part, part, 0)).toBe(text.length);
  });
});
