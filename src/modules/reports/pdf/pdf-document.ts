import path from 'node:path';
import { deflateSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { shippedFolder } from '../../../shipped-folder';
import { type Line, PdfFont, type WrittenFont } from './pdf-font';

/** An object of the file, and the parts of a page, as pdfkit has them. */
interface Ref {
  readonly data: Record<string, unknown>;
  compress: boolean;
  write(bytes: Uint8Array): void;
  end(): void;
}
interface Internals {
  readonly page: {
    readonly content: Ref;
    readonly dictionary: Ref;
    readonly fonts: Record<string, unknown>;
    readonly xobjects: Record<string, unknown>;
  };
  readonly _font: WrittenFont & { readonly id: string; ref(): Ref };
  readonly _root: { readonly data: { readonly Pages: { readonly data: { Kids: Ref[] } } } };
  ref(data?: object): Ref;
}

export const FONTS = ['text', 'bold', 'mono'] as const;
export type FontName = (typeof FONTS)[number];
const FONT_FILES: Readonly<Record<FontName, string>> = {
  text: 'DejaVuSansCondensed.ttf',
  bold: 'DejaVuSansCondensed-Bold.ttf',
  mono: 'DejaVuSansMono.ttf',
};

interface Look {
  readonly font?: FontName;
  readonly size: number;
  readonly color?: string;
}

/** A4 in points, and its margins. */
export const PAGE = { width: 842, height: 595, left: 36, right: 36, top: 36, bottom: 36 } as const;
export const INK = '0.106 0.137 0.188';
export const FAINT = '0.357 0.4 0.459';
const FOOT_SIZE = 6.5;
/** Time for bytes: half as large as without, and four times as fast as what zlib takes by itself. */
const LEVEL = { level: 1 } as const;

/**
 * A document of pages, in which a page that is full leaves the memory. The same calls give the same bytes.
 * Coordinates are points from the upper left corner.
 */
export class PdfDocument {
  readonly fonts: Readonly<Record<FontName, PdfFont>>;
  readonly #document: PDFKit.PDFDocument;
  readonly #inner: Internals;
  readonly #fontRefs: readonly (readonly [string, Ref])[];
  /** The number of each page, which is known only at the end. */
  readonly #numbers: { readonly page: Ref; readonly form: Ref }[] = [];
  #content: string[] = [];

  constructor(
    private readonly foot: string,
    info: { readonly title: string; readonly id: string; readonly createdAt: Date },
  ) {
    const folder = shippedFolder('reports/fonts', FONT_FILES.text);
    const fileOf = (name: FontName) => path.join(folder, FONT_FILES[name]);
    this.#document = new PDFDocument({
      autoFirstPage: false,
      font: fileOf('text'),
      lang: 'en',
      displayTitle: true,
      size: [PAGE.width, PAGE.height],
      margin: 0,
      info: { Title: info.title, Subject: info.id, Creator: 'Audit Activity', CreationDate: info.createdAt },
    });
    this.#inner = this.#document as unknown as Internals;
    const opened = FONTS.map((name) => {
      this.#document.font(fileOf(name));
      const font = this.#inner._font;
      return { name, font, ref: font.ref() };
    });
    this.#fontRefs = opened.map(({ font, ref }) => [font.id, ref]);
    this.fonts = Object.fromEntries(
      opened.map(({ name, font }) => [name, new PdfFont(font, font.id)]),
    ) as unknown as Record<FontName, PdfFont>;
  }

  /** Begins a page. */
  addPage(): void {
    this.#endPage();
    this.#document.addPage();
    const { page } = this.#inner;
    for (const [id, ref] of this.#fontRefs) page.fonts[id] = ref;
    const form = this.#inner.ref();
    page.xobjects.N = form;
    this.#numbers.push({ page: page.dictionary, form });
    this.draw('/N Do\n');
    this.text(this.foot, PAGE.left, PAGE.height - PAGE.bottom + 14, { size: FOOT_SIZE, color: FAINT });
  }

  get pages(): number {
    return this.#numbers.length;
  }

  /** Adds operators of PDF to the page. */
  draw(operators: string): void {
    this.#content.push(operators);
  }

  /** Writes one line. @param y of its baseline */
  text(text: string, x: number, y: number, look: Look): void {
    this.line(this.fonts[look.font ?? 'text'].line(text), x, y, look);
  }

  line({ hex }: Line, x: number, y: number, { font = 'text', size, color = INK }: Look): void {
    this.draw(`BT ${color} rg /${this.fonts[font].id} ${size} Tf ${at(x, y)} <${hex}> Tj ET\n`);
  }

  /** The bytes that are ready. */
  read(): Buffer {
    return (this.#document.read() as Buffer | null) ?? Buffer.alloc(0);
  }

  /** Ends the document. @param first the pages that come first, by their places */
  end(first: readonly number[]): Buffer {
    this.#endPage();
    const early = new Set(first);
    const ordered = [...first, ...[...this.#numbers.keys()].filter((i) => !early.has(i))];
    for (const [place, i] of ordered.entries()) this.#number(this.#numbers[i]?.form, place + 1);
    this.#inner._root.data.Pages.data.Kids = ordered.flatMap((i) => this.#numbers[i]?.page ?? []);
    this.#document.end();
    return this.read();
  }

  #number(form: Ref | undefined, place: number): void {
    if (!form) return;
    const font = this.fonts.text;
    const { hex, width } = font.line(`Page ${place} of ${this.pages}`);
    const x = PAGE.width - PAGE.right - (width * FOOT_SIZE) / 1000;
    const [[id, ref] = ['', undefined]] = this.#fontRefs;
    Object.assign(form.data, {
      Type: 'XObject',
      Subtype: 'Form',
      BBox: [0, 0, PAGE.width, PAGE.height],
      Resources: { Font: { [id]: ref } },
    });
    const operators = `BT ${FAINT} rg /${id} ${FOOT_SIZE} Tf ${at(x, PAGE.height - PAGE.bottom + 14)} <${hex}> Tj ET`;
    form.compress = false;
    form.write(Buffer.from(operators, 'latin1'));
    form.end();
  }

  #endPage(): void {
    if (this.#content.length === 0) return;
    const { content } = this.#inner.page;
    const begun = content as Ref & { buffer: Uint8Array[] };
    // pdfkit has begun the content with the operator that turns the axis, and would pack it more slowly.
    const bytes = Buffer.concat([...begun.buffer, Buffer.from(this.#content.join(''), 'latin1')]);
    this.#content = [];
    begun.buffer = [];
    content.compress = false;
    content.data.Length = 0;
    content.data.Filter = 'FlateDecode';
    content.write(deflateSync(bytes, LEVEL));
  }
}

/** The place of a text, upright in axes whose y points down. */
export const at = (x: number, y: number): string => `1 0 0 -1 ${x.toFixed(2)} ${y.toFixed(2)} Tm`;
