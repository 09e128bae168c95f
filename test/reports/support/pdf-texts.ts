import { inflateSync } from 'node:zlib';

/** The lines of a document in the order in which they are written, by the characters that its fonts state. */
export function textsOf(pdf: Buffer): string {
  const objects = objectsOf(pdf);
  const fonts = new Map<string, readonly string[]>();
  for (const { text } of objects.values())
    for (const [, id = '', ref = ''] of text.matchAll(/\/(F\d+) (\d+) 0 R/g))
      if (!fonts.has(id)) fonts.set(id, charactersOf(objects, ref));
  const lines: string[] = [];
  for (const { stream } of objects.values()) {
    let font: readonly string[] = [];
    for (const [, id, hex] of stream.matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9a-f]*)> Tj/g))
      if (id !== undefined) font = fonts.get(id) ?? [];
      else
        lines.push(
          (hex?.match(/.{4}/g) ?? []).map((glyph) => font[Number.parseInt(glyph, 16)] ?? '\ufffd').join(''),
        );
  }
  return lines.join('\n');
}

interface PdfObject {
  readonly text: string;
  readonly stream: string;
}

function objectsOf(pdf: Buffer): ReadonlyMap<string, PdfObject> {
  const all = new Map<string, PdfObject>();
  const latin = pdf.toString('latin1');
  for (const { 1: id = '', index, 0: whole } of latin.matchAll(/(?:^|\n)(\d+) 0 obj\n/g)) {
    const from = index + whole.length;
    const head = latin.slice(from, latin.indexOf('endobj', from));
    const begin = head.indexOf('stream\n');
    const text = begin < 0 ? head : head.slice(0, begin);
    const length = Number(/\/Length (\d+)/.exec(text)?.[1] ?? 0);
    const at = from + begin + 'stream\n'.length;
    const bytes = begin < 0 ? Buffer.alloc(0) : pdf.subarray(at, at + length);
    const stream = text.includes('/FlateDecode') ? inflateSync(bytes) : bytes;
    all.set(id, { text, stream: stream.toString('latin1') });
  }
  return all;
}

/** The characters of a font's glyphs. */
function charactersOf(objects: ReadonlyMap<string, PdfObject>, font: string): readonly string[] {
  const ref = /\/ToUnicode (\d+) 0 R/.exec(objects.get(font)?.text ?? '')?.[1] ?? '';
  const characters: string[] = [];
  const ranges = (objects.get(ref)?.stream ?? '').matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/g);
  for (const [, from = '', listed = ''] of ranges)
    listed.match(/<[^>]*>/g)?.forEach((code, i) => {
      const units = code.match(/[0-9a-f]{4}/g) ?? [];
      characters[Number.parseInt(from, 16) + i] = String.fromCharCode(
        ...units.map((unit) => Number.parseInt(unit, 16)),
      );
    });
  return characters;
}
