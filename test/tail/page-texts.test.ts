import { joined } from '../../src/modules/tail/page-texts';

it('the texts of a page are one list, or lines, wherever its pieces end', () => {
  const values = Array.from({ length: 40 }, (_, n) => ({ n, text: 'x'.repeat(n * 500) }));
  const texts = values.map((value) => JSON.stringify(value));
  const pieces = [...joined(texts, false)];
  expect(pieces.length).toBeGreaterThan(3);
  expect(JSON.parse(`[${pieces.join('')}]`)).toEqual(values);
  expect([...joined(texts, true)].join('')).toBe(texts.map((text) => `${text}\n`).join(''));
  expect([...joined([], false)].join('')).toBe('');
});
