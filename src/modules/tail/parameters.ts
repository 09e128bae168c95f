import { FEED_FORMAT_NAMES, FEED_FORMATS_DOC } from '../../event/formats/formats';
import type { QuerySpecs } from '../../event/parameter-specs';
import { FILTER_PARAMETERS } from '../../event/parameters';
import { type Given, parseParameters } from '../../event/parse-parameters';
import { LIMITS } from '../../limits';
import { type Problem, problem } from '../../problem';

export const BEGINNING = 'beginning';
export const NOW = 'now';

export const TAIL_PARAMETERS = {
  cursor: {
    kind: 'text',
    charsMax: LIMITS.tailCursorCharsMax,
    doc: '`meta.nextCursor` of the last answer. Repeat the filters.',
  },
  from: {
    kind: 'time',
    words: [BEGINNING, NOW],
    doc: 'Where to begin, in place of a cursor: with the first event of the log, with what arrives from now on, or with what arrived at a time (ISO 8601) or later.',
  },
  limit: {
    kind: 'integer',
    min: 1,
    max: LIMITS.tailEventsMax,
    default: LIMITS.tailEventsDefault,
    doc: 'Events of an answer at most. It may have fewer, and more follow: `meta.caughtUp` tells.',
  },
  wait: {
    kind: 'integer',
    min: 0,
    max: LIMITS.tailWaitSecondsMax,
    default: 0,
    doc: `Seconds to wait where there is nothing new; the answer leaves as soon as something comes. A key may have ${LIMITS.tailWaitingPerKey} calls that wait.`,
  },
  format: {
    kind: 'choice',
    values: FEED_FORMAT_NAMES,
    default: 'native',
    doc: `Form of the events. ${FEED_FORMATS_DOC}.`,
  },
  include: {
    kind: 'choice',
    values: ['sources'],
    doc: 'Adds `meta.sources`: for each source of the tenants of the cursor what `GET /audit-sources` says, as it was before the events were read. Not with NDJSON.',
  },
  ...FILTER_PARAMETERS,
} as const satisfies QuerySpecs;

/**
 * The parameters of a call. @param isLines whether its answer is lines, which have no place for sources
 * @throws DomainError `invalid_parameter` that names every problem
 */
export function parseTail(query: Given, isLines: boolean) {
  const problems = startProblems(query);
  if (isLines && query.include !== undefined)
    problems.push(
      problem(
        'include',
        'conflict',
        'goes with the JSON envelope alone: send Accept: application/json, or call /audit-sources',
      ),
    );
  return parseParameters(TAIL_PARAMETERS, query, problems);
}

function startProblems({ cursor, from }: Given): Problem[] {
  if (cursor === undefined && from === undefined)
    return [
      problem(
        'cursor',
        'missing',
        'or from must be given: begin with from=beginning, from=now or from=<time of arrival>, and go on with meta.nextCursor of the answer as cursor',
      ),
    ];
  if (cursor !== undefined && from !== undefined)
    return [problem('cursor', 'conflict', 'and from exclude each other: the cursor says where to go on')];
  return [];
}
