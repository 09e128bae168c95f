import type { Bench } from '../context';
import type { Figure } from '../figure';
import { measureIngest } from './ingest';

/** Rounds are so long that the wait before an hour is indexed matters little. */
const EVENTS_MAX = 600_000;

/** Like `ingest`, but with the search index, timed until everything is folded and indexed. */
export const ingestSearch = (bench: Bench): Promise<Figure[]> =>
  measureIngest(bench, 'ingest-search', { search: true, eventsMax: EVENTS_MAX, target: { atLeast: 0.3 } });
