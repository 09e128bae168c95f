import type { Cell } from '../../csv';
import { Zone } from '../../event/zone';
import { LIMITS } from '../../limits';
import { chartSvg } from './chart-svg';
import type { Chart, Column, End, Head, ReportFile, Table } from './document';
import { html, Markup } from './html-text';
import { aboutItems, cellText, introOf, ROWS_TITLE } from './page-text';

const STYLE = `
:root{color-scheme:light;--ink:#1b2330;--faint:#5b6675;--line:#d9dee6;--head:#f3f5f8;--ok:#2f6fb2;--bad:#c2402f}
*{box-sizing:border-box}
body{margin:0;padding:2rem;color:var(--ink);background:#fff;font:14px/1.45 system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif}
main{max-width:1200px;margin:0 auto}
h1{font-size:1.7rem;margin:0 0 .25rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}
p{margin:.25rem 0 .75rem}.faint{color:var(--faint)}
table{border-collapse:collapse;width:100%;font-size:12px}
th,td{border-bottom:1px solid var(--line);padding:.3rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
th{background:var(--head);font-weight:600}td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}
td.time{white-space:nowrap}td.statement{font-family:ui-monospace,Consolas,monospace;white-space:pre-wrap;min-width:16rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:0}dt{color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}
svg{width:100%;height:auto;display:block}svg text{font:9px system-ui,sans-serif;fill:var(--faint)}
rect.ok{fill:var(--ok)}rect.bad{fill:var(--bad)}
@media print{body{padding:0;font-size:10px}table{font-size:8px}thead{display:table-header-group}tr,svg{break-inside:avoid}@page{margin:14mm}}
`;

/** A page that needs nothing else: no script, and nothing from elsewhere. Long lists and statements are cut in it. */
export class HtmlFile implements ReportFile {
  readonly #zone: Zone;
  /** The first rows as they are written, as bytes, which take less memory than the parts of their texts. */
  readonly #rows: Buffer[] = [];
  #rowCount = 0;

  constructor(private readonly head: Head) {
    this.#zone = new Zone(head.question.timeZone);
  }

  begin(): string {
    const { title } = this.head;
    const [product, about] = introOf(this.head, this.#zone);
    return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title><style>${STYLE_MARKUP}</style></head><body><main>
<h1>${title}</h1><p class="faint">${product}</p><p>${about}</p>
`.text;
  }

  /** The first rows are kept for the end, where the page has them under what sums them up. */
  rows(rows: readonly (readonly Cell[])[]): string {
    const shown = rows.slice(0, LIMITS.reportHtmlRowsMax - this.#rowCount);
    if (shown.length === 0) return '';
    this.#rowCount += shown.length;
    this.#rows.push(Buffer.from(shown.map((row) => this.#row(this.head.columns, row).text).join('')));
    return '';
  }

  end(sections: readonly (Table | Chart)[], end: End): Buffer {
    const { columns } = this.head;
    const shown = this.#rowCount;
    const cut = shown < end.rows ? `The first ${shown} of ${end.rows} rows; CSV and JSON have all.` : '';
    const before = html`${sections.map((section) =>
      section.kind === 'chart'
        ? html`<section><h2>${section.title}</h2>${chartSvg(section)}</section>\n`
        : this.#section(section),
    )}<section><h2>${ROWS_TITLE}</h2><p class="faint">${cut}</p><table>${headOf(columns)}<tbody>`;
    const after = html`</tbody></table></section>
${this.#footer(end)}
</main></body></html>
`;
    return Buffer.concat([Buffer.from(before.text), ...this.#rows, Buffer.from(after.text)]);
  }

  #section({ title, columns, rows, more }: Table): Markup {
    const body = rows.map((row) => this.#row(columns, row));
    const further = more > 0 ? `and ${more} more` : rows.length === 0 ? 'None.' : '';
    return html`<section><h2>${title}</h2><table>${headOf(columns)}<tbody>${body}</tbody></table><p class="faint">${further}</p></section>\n`;
  }

  #row(columns: readonly Column[], row: readonly Cell[]): Markup {
    return html`<tr>${columns.map((column, i) => this.#cell(column, row[i] ?? null))}</tr>\n`;
  }

  #cell(column: Column, value: Cell): Markup {
    const text = cellText(column, value, this.#zone);
    const { kind } = column;
    return kind === 'text' ? html`<td>${text}</td>` : html`<td class="${kind}">${text}</td>`;
  }

  #footer(end: End): Markup {
    const items = aboutItems(this.head, end, this.#zone).map(
      ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`,
    );
    return html`<section><h2>About this report</h2><dl>${items}</dl></section>`;
  }
}

const STYLE_MARKUP = new Markup(STYLE);

const headOf = (columns: readonly Column[]): Markup =>
  html`<thead><tr>${columns.map(({ title, kind }) => html`<th class="${kind}">${title}</th>`)}</tr></thead>`;
