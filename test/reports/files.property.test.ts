import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { type Cell, csvLines } from '../../src/csv';
import { ahead } from '../../src/modules/reports/ahead';
import { FileWriter } from '../../src/modules/reports/file-writer';
import { REPORT_FORMATS } from '../../src/modules/reports/files';
import { html } from '../../src/modules/reports/html-text';

const special = fc.constantFrom(...'"\\,\r\n\0<& 管😀\u202e', '\ud83d');
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.array(special).map((all) => all.join('')),
);
const cell: fc.Arbitrary<Cell> = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));

const rowsOf = (columns: number) =>
  fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { maxLength: 4 });

it('lines of CSV are those of another writer', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }).chain(rowsOf), (rows) => {
      expect(csvLines(rows)).toBe(
        stringify(rows, { record_delimiter: 'windows', quoted_string: true, cast: { boolean: String } }),
      );
    }),
  );
});

it('rows in JSON are the text of their objects, in whatever pages they come', () => {
  const names = ['a', 'serverPrincipalName', 'c'];
  const columns = names.map((name) => ({ name, title: name, kind: 'text' as const }));
  fc.assert(
    fc.property(fc.array(rowsOf(names.length)), (pages) => {
      const file = REPORT_FORMATS.json.open({ columns } as never);
      const lines = pages
        .flat()
        .map((row) => JSON.stringify(Object.fromEntries(names.map((name, i) => [name, row[i]]))));
      expect(pages.map((rows) => file.rows(rows)).join('')).toBe(
        lines.map((line, i) => (i === 0 ? '\n' : ',\n') + line).join(''),
      );
    }),
  );
});

it('a text in markup has no sign of markup and no hidden character, and is read as it was written', () => {
  const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };
  fc.assert(
    fc.property(text, (value) => {
      const written = html`${value}`.text;
      expect(written).not.toMatch(/[<>"]|&(?!(?:amp|lt|gt|quot);)/);
      expect(written).not.toMatch(/(?![\n\r\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      const read = written
        .replace(/⟦U\+([0-9A-F]+)⟧/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
        .replace(/&\w+;/g, (entity) => entities[entity as keyof typeof entities]);
      expect(read).toBe(value);
    }),
  );
});

it('the pieces of a file are its bytes, and none changes while it is stored', async () => {
  const part = fc.oneof(text, fc.uint8Array({ maxLength: 40 }).map(Buffer.from));
  await fc.assert(
    fc.asyncProperty(fc.array(part), fc.integer({ min: 4, max: 20 }), async (parts, pieceBytes) => {
      const pieces: Buffer[] = [];
      const writer = new FileWriter(async (piece, bytes) => {
        await turn();
        pieces[piece] = Buffer.from(bytes);
        return bytes.length;
      }, pieceBytes);
      for (const one of parts) await writer.write(one);
      const hash = await writer.end();
      const whole = Buffer.concat(parts.map((one) => Buffer.from(one as string)));
      expect(Buffer.concat(pieces)).toEqual(whole);
      expect(pieces.every(({ length }) => length > 0 && length <= pieceBytes)).toBe(true);
      expect(hash).toBe(createHash('sha256').update(whole).digest('hex'));
      expect([writer.bytes, writer.stored]).toEqual([whole.length, whole.length]);
    }),
    { numRuns: 50 },
  );
});

describe('items that are asked for ahead', () => {
  const failure = new Error('the fifth page');

  it('come in order, one ahead of the caller, until one fails', async () => {
    const asked: number[] = [];
    async function* pages() {
      for (const page of [1, 2, 3, 4, 5]) {
        asked.push(page);
        if (page === 5) throw failure;
        yield page;
      }
    }
    const seen: [number, number][] = [];
    await expect(
      (async () => {
        for await (const page of ahead(pages())) {
          // Pages that were asked for are there after a turn.
          await turn();
          seen.push([page, asked.length - page]);
        }
      })(),
    ).rejects.toBe(failure);
    expect(seen).toEqual([1, 2, 3, 4].map((page) => [page, 1]));
  });

  it('end when the caller breaks off, after what was asked for is there', async () => {
    const order: string[] = [];
    async function* pages() {
      try {
        for (const page of [1, 2, 3]) {
          await turn();
          order.push(`page ${page}`);
          yield page;
        }
      } finally {
        order.push('ended');
      }
    }
    for await (const page of ahead(pages())) if (page === 1) break;
    expect(order).toEqual(['page 1', 'page 2', 'ended']);
  });
});
