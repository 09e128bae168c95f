import { loadConfig } from '../../src/config';
import { openDatabase } from '../../src/database/database';
import type { AuditEvent } from '../../src/event/fields';
import { usualOf } from '../../src/modules/explore/usual';
import type { Bench } from '../context';
import { Calendar } from '../data/calendar';
import { EventSource } from '../data/event-source';
import { type Figure, reported } from '../figure';
import { madeColumns } from '../load/made-columns';
import { short } from '../report';

/** The target is for a tenant of at least so many events in 90 days. */
const EVENTS_OF_TARGET = 2_000_000;
const TARGET = { medianAtMost: 100 } as const;
/** Events that are asked about, from the last day. */
const ASKED = 20;

/** "Who normally does this?" of events of the last day, asked of the function itself. */
export async function usual(bench: Bench): Promise<Figure[]> {
  const { url, tenantId, events } = await madeColumns(bench, bench.options.growthRows);
  const database = await openDatabase(loadConfig({ DATABASE_URL: url }));
  try {
    const asked = lastEvents(events, tenantId);
    const [times, busy]: [number[], number[]] = [[], []];
    let counted = 0;
    for (let round = 0; round < bench.options.rounds; round++)
      for (const event of asked) {
        const [begun, used] = [performance.now(), process.cpuUsage()];
        const { nth } = await usualOf(database.service, event, false);
        times.push(performance.now() - begun);
        const { user, system } = process.cpuUsage(used);
        busy.push((user + system) / 1_000);
        counted = Math.max(counted, nth - 1);
        bench.say(`  ${event.serverPrincipalName}: ${nth - 1} events, ${short(times.at(-1) ?? 0)} ms`);
      }
    const [first = 0, ...later] = times;
    const note = `${asked.length} events, whose logins have up to ${counted.toLocaleString('en')} of ${events.toLocaleString('en')} in 90 days`;
    const target = events >= EVENTS_OF_TARGET ? TARGET : null;
    return [
      reported('usual', 'the first question after a start, which reads all days', 'ms', [first], { note }),
      reported('usual', 'who normally does this', 'ms', later, { target, note }),
      reported('usual', 'processor time of this process, of one', 'ms', busy, { note }),
    ];
  } finally {
    await database.close();
  }
}

/** Events of different logins, the last ones that were made. */
function lastEvents(events: number, tenantId: number): AuditEvent[] {
  const source = new EventSource(0, events, new Calendar());
  const found = new Map<string, AuditEvent>();
  const last = JSON.parse(source.batch(source.batches - 1)) as (AuditEvent & {
    readonly recordId?: string;
  })[];
  for (const event of last.toReversed()) {
    const login = event.serverPrincipalName ?? '';
    if (found.size < ASKED && !found.has(login))
      found.set(login, { ...event, tenantId: String(tenantId), recordId: recordIdAt(event.eventTime) });
  }
  return [...found.values()];
}

/** A record id of a time. */
function recordIdAt(eventTime: string): string {
  const digits = Date.parse(eventTime).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-8000-8000-000000000000`;
}
