import { FIELD_NAMES } from '../../audit-event/fields';
import { isUuid } from '../../audit-event/record-id';
import type { LoggedEvent } from '../entry';
import { linesIn } from './log-file';

const NEEDED = [...FIELD_NAMES, 'additional'];

/**
 * Events of one tenant in an export (NDJSON, each line an event in full).
 * @throws Error that names the file, the line and what the line lacks
 */
export async function* eventsIn(file: string, tenantId: string): AsyncGenerator<LoggedEvent> {
  for await (const { line, number } of linesIn(file)) {
    const lacking = NEEDED.filter((name) => line[name] === undefined);
    if (lacking.length > 0 || !isUuid(String(line.recordId)) || typeof line.additional !== 'object')
      throw new Error(
        `${file}: line ${number} is not an event in full${lacking.length > 0 ? `: it lacks ${lacking.join(', ')}` : ''}`,
      );
    if (line.tenantId === tenantId) yield line as unknown as LoggedEvent;
  }
}
