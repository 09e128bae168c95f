/** A font as pdfkit writes it: its glyphs, of which those that are used come into the file. */
export interface WrittenFont {
  readonly font: { hasGlyphForCodePoint(codePoint: number): boolean };
  encode(text: string): [string[], { readonly advanceWidth: number }[]];
}

interface Glyph {
  /** The glyph in the file's font, in hexadecimal. */
  readonly hex: string;
  /** In thousandths of the font's size. */
  readonly width: number;
}

/** A line as it is written: glyphs in hexadecimal, and their width in thousandths of the font's size. */
export interface Line {
  readonly hex: string;
  readonly width: number;
}

const ASCII = /^[\n\r\t\x20-\x7e]*$/;
/** Scripts whose characters stand beside each other as they are. Others must be shaped, or run from right to left. */
const PLAIN =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Common}]$/u;
const HIDDEN = /^(?![\n\r\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]$/u;
/** After these characters a line may end. */
const BREAKS = new Set([' ', '-', '\\', '.', ',', ';', '(', '/', '@', '_']);
const MORE = ' …';

/** Text in one font. Characters that the font cannot show, or that nobody sees, are written as `⟦U+XXXX⟧`. */
export class PdfFont {
  readonly #glyphs = new Map<string, Glyph>();
  /** Whether a character was written by its number. */
  hasNumbers = false;

  constructor(
    private readonly font: WrittenFont,
    readonly id: string,
  ) {}

  /** A text on one line. */
  line(text: string): Line {
    return lineOf([...this.#shown(text)].map((character) => this.#of(character)));
  }

  /**
   * A text on lines of a width. Where there would be more lines, the last one ends with `…`.
   * @param width in thousandths of the font's size
   */
  lines(text: string, width: number, linesMax: number): readonly Line[] {
    const lines: Line[] = [];
    let line: Glyph[] = [];
    let used = 0;
    let mayEnd = 0;
    const end = (rest: Glyph[]) => {
      lines.push(lineOf(line));
      line = rest;
      used = rest.reduce((sum, glyph) => sum + glyph.width, 0);
      mayEnd = 0;
    };
    for (const character of this.#shown(text)) {
      if (lines.length >= linesMax) break;
      if (character === '\r') continue;
      if (character === '\n') {
        end([]);
        continue;
      }
      const glyph = this.#of(character);
      if (used + glyph.width > width && line.length > 0) {
        const rest = mayEnd > 0 ? line.splice(mayEnd) : [];
        end(rest);
      }
      line.push(glyph);
      used += glyph.width;
      if (BREAKS.has(character)) mayEnd = line.length;
    }
    if (lines.length < linesMax) return [...lines, lineOf(line)];
    const last = lines.at(-1) ?? lineOf([]);
    const more = this.line(MORE);
    return [...lines.slice(0, -1), { hex: last.hex + more.hex, width: last.width + more.width }];
  }

  /** The text with characters that the font shows. */
  #shown(text: string): string {
    if (ASCII.test(text)) return text;
    let shown = '';
    let numbers: string[] = [];
    const write = (character: string) => {
      if (numbers.length > 0) shown += `⟦${numbers.join(' ')}⟧`;
      numbers = [];
      shown += character;
    };
    for (const character of text.normalize('NFC'))
      if (this.#isShown(character)) write(character);
      else {
        this.hasNumbers = true;
        numbers.push(numberOf(character));
      }
    write('');
    return shown;
  }

  #isShown(character: string): boolean {
    if (this.#glyphs.has(character)) return true;
    if (HIDDEN.test(character) || !PLAIN.test(character)) return false;
    return character <= ' ' || this.font.font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0);
  }

  #of(character: string): Glyph {
    const known = this.#glyphs.get(character);
    if (known) return known;
    const [[hex = ''], [position]] = this.font.encode(character === '\t' ? ' ' : character);
    const glyph = { hex, width: position?.advanceWidth ?? 0 };
    this.#glyphs.set(character, glyph);
    return glyph;
  }
}

const numberOf = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

function lineOf(glyphs: readonly Glyph[]): Line {
  let hex = '';
  let width = 0;
  for (const glyph of glyphs) {
    hex += glyph.hex;
    width += glyph.width;
  }
  return { hex, width };
}
