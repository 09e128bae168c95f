import { FILTER_NAMES } from '../../../src/event/filters';
import type { ExploreFilter } from '../explore/explore-filter';

/** What is used of a manifest. */
interface Signed {
  readonly question: {
    readonly startTime: string;
    readonly endTime: string;
    readonly filter: string | null;
    readonly parameters: Readonly<Record<string, string | boolean>>;
  };
  readonly recordIdsRoot: string | null;
}

/**
 * The question that a run answered. A report that shows only some of the events that match has fewer rows.
 * @param manifest what is signed of the run
 * @returns null: its rows are no events
 */
export function runQuestion(manifest: string): ExploreFilter | null {
  const { question, recordIdsRoot } = JSON.parse(manifest) as Signed;
  if (recordIdsRoot === null) return null;
  const { startTime, endTime, filter: own, parameters } = question;
  const { filter: given } = parameters;
  const values = Object.entries(parameters).filter(([name]) =>
    (['search', ...FILTER_NAMES] as readonly string[]).includes(name),
  );
  const both = [own, given].filter((one) => typeof one === 'string' && one !== '');
  const filter = both.length < 2 ? both[0] : both.map((one) => `(${one})`).join(' AND ');
  return {
    startTime,
    endTime,
    ...Object.fromEntries(values),
    ...(filter !== undefined && { filter }),
  } as ExploreFilter;
}
