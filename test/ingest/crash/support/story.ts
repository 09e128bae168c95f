import type { Random } from '../../../simulation/support/random';
import type { Question } from '../../../support/brute-force';
import type { IngestedEvent } from '../../../support/events';

const HOUR_MS = 3_600_000;
const FIRST_MS = Date.parse('2026-01-30T20:00:00Z');
/** Long enough to cross the end of a day, of a month and of a week. */
const HOURS = 60;
const ACTIONS = ['SL', 'IN', 'UP', 'DL'];
const DATABASES = ['Payroll', 'Sales', 'Crédit', null];
const PRINCIPALS = ['CORP\\alice', 'CORP\\bob', 'sa', null];
const WORDS = ['salary', 'bonus', 'address', 'overtime', 'Straße'];
const EVENTS_MAX = 60;

let offset = 0;

/** Events of one batch. They have few different values, so that counts and searches find several events each. */
export function someEvents(random: Random): IngestedEvent[] {
  const fileGuid = random.guid();
  return Array.from({ length: random.whole(1, EVENTS_MAX) }, () => anyEvent(random, fileGuid));
}

function anyEvent(random: Random, fileGuid: string): IngestedEvent {
  offset += 1;
  const ms = FIRST_MS + random.whole(0, HOURS - 1) * HOUR_MS + random.whole(0, HOUR_MS - 1);
  return {
    eventTime: `${new Date(ms).toISOString().slice(0, -1)}${random.whole(0, 9999).toString().padStart(4, '0')}Z`,
    actionId: random.pick(ACTIONS),
    succeeded: random.chance(0.8),
    serverInstanceName: 'SQLPROD01',
    databaseName: random.pick(DATABASES),
    schemaName: 'dbo',
    objectName: `Table${random.whole(1, 5)}`,
    serverPrincipalName: random.pick(PRINCIPALS),
    databasePrincipalName: null,
    applicationName: 'PayrollWeb',
    hostName: 'APP01',
    clientIp: '10.20.30.40',
    statement: `SELECT ${random.pick(WORDS)}, ${random.pick(WORDS)} FROM dbo.T -- ${offset}`,
    sourceType: 'DirectFile',
    file: 'Payroll_Audit.sqlaudit',
    fileGuid,
    blockOffset: offset,
    index: 0,
    parts: 1,
    additional: { sessionId: random.whole(51, 90) },
  };
}

const MIDDLE = new Date(FIRST_MS + 20.5 * HOUR_MS).toISOString().replace('Z', '0000Z');
const word = (text: string) => ({ kind: 'word', text }) as const;
const PAGE = { page: 1, pageSize: 100 } as const;

/** The time ranges of the summaries to ask for. */
export const RANGES: readonly Readonly<Record<string, string>>[] = [
  {},
  { startTime: MIDDLE },
  { endTime: MIDDLE },
];

/** The lists and searches to ask for in each full check. */
export const QUESTIONS: readonly Question[] = [
  PAGE,
  { ...PAGE, page: 3, sortBy: 'principalName', sortDirection: 'asc' },
  { ...PAGE, startTime: MIDDLE },
  { ...PAGE, endTime: MIDDLE, actionId: 'UP', databaseName: 'Crédit' },
  { ...PAGE, principalName: 'sa' },
  { ...PAGE, search: [word('salary'), word('strasse')] },
  { ...PAGE, search: [word('overtime')], startTime: MIDDLE },
  { ...PAGE, search: [{ kind: 'prefix', text: 'addr' }], databaseName: 'Sales' },
];
