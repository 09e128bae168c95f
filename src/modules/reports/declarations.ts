import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { parseFilter } from '../../event/expression/parse-filter';
import { type AnyField, COLUMN_OF, isNumberField, type NumberField } from '../../event/fields';
import { shippedFolder } from '../../shipped-folder';

/** A part of a report that sums events up. */
export type Section = { readonly title: string } & (
  | {
      /** Groups by the values of one or two fields. */
      readonly by: readonly [AnyField, AnyField?];
      /** The field whose numbers are added up. */
      readonly sum?: NumberField;
      /** Only events of these times; the title names the hours that are declared. */
      readonly when?: 'outside-working-hours';
    }
  /** Events over the period, or by hour of the day. */
  | { readonly over: 'time' | 'hour' }
);

interface Declared {
  readonly reportId: string;
  readonly title: string;
  readonly about: string;
}

/** A report on events. Each event that matches is a row. */
export interface EventReport extends Declared {
  readonly source: 'events';
  /** An expression of the parameter `filter`; not given: all events. */
  readonly filter?: string;
  /**
   * `privileged`: only what sa and members of powerful roles did. `sensitive`: only what is declared sensitive, unless
   * the caller names what is needed.
   */
  readonly of?: 'privileged' | 'sensitive';
  /** Parameters of which one must be given. */
  readonly needs?: readonly string[];
  readonly sections: readonly Section[];
  readonly columns: readonly AnyField[];
}

/** A report on what the service knows beside events: its rows are sources, or controls. */
export interface StateReport extends Declared {
  readonly source: 'sources' | 'controls';
}

export type Report = EventReport | StateReport;

let shipped: readonly Report[] | undefined;

/** The reports of the folder `reports`, by title. They are read once in a process. */
export const shippedReports = (): readonly Report[] =>
  (shipped ??= readReports(shippedFolder('reports', 'activity.yml')));

/** The report with an id; null: there is none. */
export const findReport = (reportId: string): Report | null =>
  shippedReports().find((report) => report.reportId === reportId) ?? null;

/** @throws Error that names a file whose report cannot be made */
export function readReports(folder: string): readonly Report[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yml'))
    .map((name) => {
      const report = parse(readFileSync(path.join(folder, name), 'utf8')) as Report;
      const problem = problemOf(report, name);
      if (problem !== null) throw new Error(`reports/${name}: ${problem}`);
      return report;
    })
    .sort((a, b) => (a.title < b.title ? -1 : 1));
}

function problemOf(report: Report, file: string): string | null {
  if (`${report.reportId}.yml` !== file) return 'the file must be named after reportId';
  if (report.source !== 'events') return null;
  const parsed = report.filter === undefined ? null : parseFilter(report.filter);
  if (parsed && 'problem' in parsed) return `the filter is not understood ${parsed.problem}`;
  const fields = [...report.columns, ...report.sections.flatMap((one) => ('by' in one ? one.by : []))];
  const unknown = fields.find((field) => field === undefined || !Object.hasOwn(COLUMN_OF, field));
  if (unknown !== undefined) return `${unknown} is not a field`;
  const sums = report.sections.flatMap((one) => ('by' in one && one.sum ? [one.sum] : []));
  const wrong = sums.find((field) => !isNumberField(field));
  return wrong === undefined ? null : `${wrong} is not a number`;
}
