import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { dirname } from 'node:path';
import { type Figure, type Spread, type Target, verdictOf } from './figure';

const HEAD = ['bench', 'figure', 'measured', 'against', 'ratio (range)', 'target', ''] as const;

/** The figures as a Markdown table, which reads well in a terminal too. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.bench,
    figure.name,
    figure.measured ? `${short(figure.measured.median)} ${figure.unit}` : '-',
    figure.against ? `${figure.against.name}: ${short(figure.against.spread.median)}` : '-',
    figure.ratio ? `${ratioText(figure.ratio)}` : '-',
    targetText(figure.target),
    verdictOf(figure),
  ]);
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const notes = figures
    .filter(({ note }) => note !== '')
    .map(({ bench, name, note }) => `- ${bench}, ${name}: ${note}`);
  return [line(HEAD), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line), '', ...notes].join(
    '\n',
  );
}

const ratioText = ({ median, min, max }: Spread) =>
  `${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`;

function targetText(target: Target | null): string {
  if (target === null) return '-';
  if ('under' in target) return `< ${target.under}`;
  if ('medianAtMost' in target) return `median <= ${target.medianAtMost}`;
  if ('atLeast' in target) return `>= ${target.atLeast}`;
  return `<= ${Number(target.atMost.toPrecision(3))}${target.msMax === undefined ? '' : `, < ${target.msMax} ms`}`;
}

export function short(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString('en');
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** The machine and the servers of the figures. */
export function machineOf(server: string): object {
  const [cpu] = os.cpus();
  return {
    cpu: cpu?.model ?? 'unknown',
    cores: os.cpus().length,
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()}`,
    node: process.version,
    postgres: server,
    at: new Date().toISOString(),
  };
}

export function writeJson(file: string, content: object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
