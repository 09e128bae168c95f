import { sentenceOf } from '../explore/event/sentence';
import { EVENT } from '../explore/event/texts';
import type { Incident, PlacedEvent } from './incident';
import { timelineOf } from './timeline';

const escaped = (text: string): string => text.replace(/[\\`*_[\]<>#|]/g, (found) => `\\${found}`);

const foundLine = ({ firstEventTime, text, findingCount }: Incident['timeline'][number]): string =>
  `- ${firstEventTime} ${escaped(text)}${findingCount > 1 ? ` (${findingCount} times)` : ''}`;

/** The event in English, as the other lines are. */
function placedLine({ event, placedBy, note }: PlacedEvent): string {
  const text = sentenceOf({ ...event, roleMember: event.roleMember ?? null }, EVENT);
  const why = note ? `: ${escaped(note.replace(/\s+/g, ' '))}` : '';
  return `- ${event.eventTime} ${escaped(text)} (put there by ${escaped(placedBy)}${why})`;
}

/** An incident as Markdown, for a ticket or a report. Times are UTC. */
export function markdownOf(incident: Incident, placed: readonly PlacedEvent[]): string {
  const names = incident.entities.map(({ kind, name, part }) => `- ${kind} ${escaped(name)} (${part} it)`);
  const lines = timelineOf(incident, placed).map(({ line, event }) =>
    event ? placedLine(event) : foundLine(line),
  );
  const gaps = incident.unrecorded.map(
    ({ serverInstanceName, from, to }) =>
      `- nothing was recorded on ${escaped(serverInstanceName)} from ${from} to ${to ?? 'now'}`,
  );
  return [
    `# ${escaped(incident.title)}`,
    '',
    `Severity ${incident.severity}, ${incident.status}. ${incident.rowsRead} rows read, ${incident.rowsChanged} changed.`,
    `Incident ${incident.incidentId}`,
    '',
    '## Who',
    ...names,
    '',
    '## What happened',
    ...lines,
    ...gaps,
    '',
  ].join('\n');
}
