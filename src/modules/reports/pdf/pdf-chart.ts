import type { Chart } from '../document';
import { FAINT, type PdfDocument } from './pdf-document';
import { box } from './pdf-table';

const [OK_COLOR, BAD_COLOR] = ['0.184 0.435 0.698', '0.761 0.251 0.184'];
const [FOOT, TOP] = [14, 12];
const SIZE = 6.5;
const LABELS = 8;

/** Draws bars: succeeded below, failed above. */
export function drawChart(
  document: PdfDocument,
  { bars }: Chart,
  { x, y, width, height }: Readonly<Record<'x' | 'y' | 'width' | 'height', number>>,
): void {
  const most = Math.max(1, ...bars.map(({ succeeded, failed }) => succeeded + failed));
  const step = width / Math.max(1, bars.length);
  const barWidth = Math.max(0.4, step * 0.8);
  const bottom = y + height - FOOT;
  const room = height - FOOT - TOP;
  document.text(most.toLocaleString('en-US'), x, y + SIZE, { size: SIZE, color: FAINT });
  const every = Math.max(1, Math.ceil(bars.length / LABELS));
  bars.forEach(({ label, succeeded, failed }, i) => {
    const left = x + i * step + (step - barWidth) / 2;
    const [ok, bad] = [(succeeded / most) * room, (failed / most) * room];
    if (ok > 0) document.draw(`${OK_COLOR} rg ${box(left, bottom - ok, barWidth, ok)} re f\n`);
    if (bad > 0) document.draw(`${BAD_COLOR} rg ${box(left, bottom - ok - bad, barWidth, bad)} re f\n`);
    if (i % every === 0) document.text(label, x + i * step, bottom + 10, { size: SIZE, color: FAINT });
  });
}
