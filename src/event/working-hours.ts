import { type Problem, problem } from '../problem';
import { fold } from './search';
import { Zone, zoneProblems } from './zone';

/** Hours of some days of the week, in a time zone. */
interface Hours {
  readonly days: ReadonlySet<number>;
  /** Minutes of the day. An end that is not later than the beginning is of the next day. */
  readonly from: number;
  readonly to: number;
  readonly zone: Zone;
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FORM = /^([a-z,-]+) (\d\d):(\d\d)-(\d\d):(\d\d)(?: (\S+))?$/i;
/** What counts where nobody has said anything, in the time zone of whoever asks. */
const USUAL = 'Mon-Fri 07:00-19:00';
const DAY_MINUTES = 1_440;

/** @param text such as `Mon-Fri 07:00-19:00 Europe/Berlin`; without a time zone it is UTC @returns null: it is malformed */
function parse(text: string, zoneName = 'UTC'): Hours | null {
  const found = FORM.exec(text.trim().replace(/\s+/g, ' '));
  if (!found) return null;
  const [, names = '', h1, m1, h2, m2, named = zoneName] = found;
  const days = new Set<number>();
  for (const part of names.toLowerCase().split(',')) {
    const [first = '', last = first, ...more] = part.split('-');
    const [begin, end] = [DAYS.indexOf(first), DAYS.indexOf(last)];
    if (begin < 0 || end < 0 || more.length > 0) return null;
    for (let day = begin; ; day = (day + 1) % 7) {
      days.add(day);
      if (day === end) break;
    }
  }
  const [from, to] = [Number(h1) * 60 + Number(m1), Number(h2) * 60 + Number(m2)];
  if (from >= DAY_MINUTES || to > DAY_MINUTES || Number(m1) > 59 || Number(m2) > 59) return null;
  return zoneProblems(named, '').length > 0 ? null : { days, from, to, zone: new Zone(named) };
}

/** The check of a parameter that states working hours. */
export const workingHoursProblems = (text: string, field: string): readonly Problem[] =>
  parse(text) ? [] : [problem(field, 'malformed', 'must be like Mon-Fri 07:00-19:00 Europe/Berlin')];

/** Working hours that somebody declared. Null: of every server instance. */
export interface DeclaredHours {
  readonly serverInstanceName: string | null;
  readonly workingHours: string;
}

/**
 * The working hours of server instances. Of several that are declared, each counts; those of an instance take the place of
 * those of every one. Where none is declared, it is Monday to Friday, 7 to 19.
 */
export class WorkTimes {
  readonly #ofEach = new Map<string, Hours[]>();
  readonly #ofAll: readonly Hours[];
  readonly text: string;

  /** @param zone of those whom nothing is declared for */
  constructor(declared: readonly DeclaredHours[], zone: Zone) {
    const ofAll: Hours[] = [];
    for (const { serverInstanceName, workingHours } of declared) {
      const hours = parse(workingHours);
      if (!hours) continue;
      if (serverInstanceName === null) ofAll.push(hours);
      else {
        const key = fold(serverInstanceName);
        this.#ofEach.set(key, [...(this.#ofEach.get(key) ?? []), hours]);
      }
    }
    const usual = parse(USUAL, zone.name);
    this.#ofAll = ofAll.length > 0 || !usual ? ofAll : [usual];
    const told = declared.map(({ serverInstanceName, workingHours }) =>
      serverInstanceName === null ? workingHours : `${serverInstanceName}: ${workingHours}`,
    );
    const shown = ofAll.length > 0 ? told : ['Monday to Friday, 7 to 19', ...told];
    const more = shown.length - SHOWN_MAX;
    this.text = more > 0 ? `${shown.slice(0, SHOWN_MAX).join('; ')} and ${more} more` : shown.join('; ');
  }

  isOutside(ms: number, serverInstanceName: string | null): boolean {
    const own = this.#ofEach.size === 0 ? undefined : this.#ofEach.get(fold(serverInstanceName ?? ''));
    return !(own ?? this.#ofAll).some((hours) => isWithin(hours, ms));
  }
}

const SHOWN_MAX = 5;

function isWithin({ days, from, to, zone }: Hours, ms: number): boolean {
  const { weekday, minute } = zone.momentOf(ms);
  if (to > from) return days.has(weekday) && minute >= from && minute < to;
  return (days.has(weekday) && minute >= from) || (days.has((weekday + 6) % 7) && minute < to);
}
