import type { Cell } from '../../csv';
import { MARK } from '../../event/marks';
import { LIMITS } from '../../limits';
import { chartSvg } from './chart-svg';
import type { Chart, Column, End, Head, ReportFile, Table } from './document';
import { html, Markup } from './html-text';
import { actionText } from './tally';
import { Zone } from './zone';

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
  readonly #rows: Markup[] = [];

  constructor(private readonly head: Head) {
    this.#zone = new Zone(head.question.timeZone);
  }

  begin(): string {
    const { title, about, question, createdAt } = this.head;
    const period = `${this.#time(question.startTime)} to ${this.#time(question.endTime)} (${question.timeZone})`;
    return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title><style>${STYLE_MARKUP}</style></head><body><main>
<h1>${title}</h1><p class="faint">Audit Activity · tenant ${this.head.tenantId} · ${period} · made ${this.#time(createdAt)}</p><p>${about}</p>
`.text;
  }

  /** The first rows are kept for the end, where the page has them under what sums them up. */
  rows(rows: readonly (readonly Cell[])[]): string {
    for (const row of rows.slice(0, LIMITS.reportHtmlRowsMax - this.#rows.length))
      this.#rows.push(this.#row(this.head.columns, row));
    return '';
  }

  end(sections: readonly (Table | Chart)[], end: End): string {
    const { columns } = this.head;
    const shown = this.#rows.length;
    const cut = shown < end.rows ? `The first ${shown} of ${end.rows} rows; CSV and JSON have all.` : '';
    return html`${sections.map((section) =>
      section.kind === 'chart'
        ? html`<section><h2>${section.title}</h2>${chartSvg(section)}</section>\n`
        : this.#section(section),
    )}<section><h2>Rows</h2><p class="faint">${cut}</p><table>${headOf(columns)}<tbody>${this.#rows}</tbody></table></section>
${this.#footer(end)}
</main></body></html>
`.text;
  }

  #section({ title, columns, rows, more }: Table): Markup {
    const body = rows.map((row) => this.#row(columns, row));
    const further = more > 0 ? `and ${more} more` : rows.length === 0 ? 'None.' : '';
    return html`<section><h2>${title}</h2><table>${headOf(columns)}<tbody>${body}</tbody></table><p class="faint">${further}</p></section>\n`;
  }

  #row(columns: readonly Column[], row: readonly Cell[]): Markup {
    return html`<tr>${columns.map((column, i) => this.#cell(column, row[i] ?? null))}</tr>\n`;
  }

  #cell({ name, kind }: Column, value: Cell): Markup {
    const text = value === null ? '—' : String(value);
    if (kind === 'time') return html`<td class="time">${value === null ? text : this.#time(text)}</td>`;
    if (kind === 'number') return html`<td class="number">${text}</td>`;
    if (kind === 'statement') return html`<td class="statement">${shortened(text)}</td>`;
    return html`<td>${name === 'actionId' ? actionText(text) : text}</td>`;
  }

  #footer(end: End): Markup {
    const { runId, reportId, question } = this.head;
    const { startTime, endTime, timeZone, filter, parameters } = question;
    const item = (name: string, value: string | number | null) =>
      html`<dt>${name}</dt><dd>${value ?? 'none'}</dd>`;
    const gaps = end.gaps.map(({ hostName, databaseName, reason, afterTime, beforeTime }) =>
      item('Gap', `${hostName}, ${databaseName}: ${reason}, ${afterTime ?? '…'} to ${beforeTime ?? '…'}`),
    );
    return html`<section><h2>About this report</h2><dl>${[
      item('Report', `${reportId}, run ${runId}`),
      item('Period', `${this.#time(startTime)} to ${this.#time(endTime)}, end excluded`),
      item('Time zone', timeZone),
      item('Filter', filter),
      ...Object.entries(parameters).map(([name, value]) => item(name, String(value))),
      item('Rows', end.rows),
      ...(gaps.length > 0 ? gaps : [item('Gaps of the sources in the period', null)]),
      item('Evidence log', `${end.log.size} entries, root ${end.log.root ?? 'none'}`),
      item('Root over record ids', end.recordIdsRoot),
    ]}</dl></section>`;
  }

  #time(text: string): string {
    return this.#zone.format(Date.parse(text));
  }
}

const STYLE_MARKUP = new Markup(STYLE);

const headOf = (columns: readonly Column[]): Markup =>
  html`<thead><tr>${columns.map(({ title, kind }) => html`<th class="${kind}">${title}</th>`)}</tr></thead>`;

/** The beginning of a long statement. The part behind a mark is in CSV and JSON only. */
function shortened(statement: string): string {
  const at = statement.indexOf(MARK);
  const most = LIMITS.reportStatementChars;
  if (at < 0 && statement.length <= most) return statement;
  const end = /[\ud800-\udbff]/.test(statement.charAt(most - 1)) ? most - 1 : most;
  return `${statement.slice(0, at < 0 ? end : Math.min(at, end))} … (cut; CSV and JSON have the whole statement)`;
}
