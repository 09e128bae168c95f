import type { Incident } from './incident';

const escaped = (text: string): string => text.replace(/[\\`*_[\]<>#|]/g, (found) => `\\${found}`);

/** An incident as Markdown, for a ticket or a report. Times are UTC. */
export function markdownOf(incident: Incident): string {
  const names = incident.entities.map(({ kind, name, part }) => `- ${kind} ${escaped(name)} (${part} it)`);
  const lines = incident.timeline.map(
    ({ firstEventTime, text, findingCount }) =>
      `- ${firstEventTime} ${escaped(text)}${findingCount > 1 ? ` (${findingCount} times)` : ''}`,
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
