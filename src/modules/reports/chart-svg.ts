import type { Chart } from './document';
import { html, Markup } from './html-text';

const [WIDTH, HEIGHT, FOOT] = [720, 140, 18];

/** A chart of bars as SVG: succeeded below, failed above. */
export function chartSvg({ title, bars }: Chart): Markup {
  const most = Math.max(1, ...bars.map(({ succeeded, failed }) => succeeded + failed));
  const step = WIDTH / Math.max(1, bars.length);
  const width = Math.max(0.5, step * 0.8);
  const room = HEIGHT - FOOT - 12;
  const drawn = bars.map(({ label, succeeded, failed }, i) => {
    const [ok, bad] = [(succeeded / most) * room, (failed / most) * room];
    const x = (i * step + (step - width) / 2).toFixed(2);
    const rect = (name: string, y: number, height: number) =>
      height === 0
        ? ''
        : `<rect class="${name}" x="${x}" y="${y.toFixed(2)}" width="${width.toFixed(2)}" height="${height.toFixed(2)}"/>`;
    const bottom = HEIGHT - FOOT;
    const told = html`<title>${label}: ${succeeded} succeeded, ${failed} failed</title>`;
    return new Markup(
      `<g>${told.text}${rect('ok', bottom - ok, ok)}${rect('bad', bottom - ok - bad, bad)}</g>`,
    );
  });
  const every = Math.max(1, Math.ceil(bars.length / 8));
  const labels = bars.flatMap(({ label }, i) =>
    i % every === 0 ? [html`<text x="${(i * step).toFixed(2)}" y="${HEIGHT - 5}">${label}</text>`] : [],
  );
  return html`<svg role="img" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-label="${title}"><text x="0" y="10">${most.toLocaleString('en-US')}</text>${drawn}${labels}</svg>`;
}
