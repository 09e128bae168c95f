import { open } from 'node:fs/promises';
import { FIELD_NAMES } from '../../../event/fields';
import { isUuid } from '../../../event/uuid';
import type { LoggedEvent } from '../../../store/log/evidence/entry';
import { linesIn } from './log-file';

const NEEDED = [...FIELD_NAMES, 'additional'];

/**
 * Reads the events of one tenant from an export (NDJSON, each line an event in full). Last lines of exports are
 * skipped, because the log shows missing events better than their number does.
 * @throws Error that names the file, the line and the missing fields
 */
export async function* eventsIn(file: string, tenantId: string): AsyncGenerator<LoggedEvent> {
  for await (const { line, number } of linesIn(file)) {
    if (endOf(line) !== null) continue;
    const lacking = NEEDED.filter((name) => line[name] === undefined);
    if (lacking.length > 0 || !isUuid(String(line.recordId)) || typeof line.additional !== 'object')
      throw new Error(
        `${file}: line ${number} is not an event in full${lacking.length > 0 ? `: it lacks ${lacking.join(', ')}` : ''}`,
      );
    if (line.tenantId === tenantId) yield line as unknown as LoggedEvent;
  }
}

/** @returns the number of events that the last line of an export states; null if that line is missing */
export async function endCountOf(file: string): Promise<number | null> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - END_BYTES_MAX);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(END_BYTES_MAX), 0, END_BYTES_MAX, start);
    const [, text] = /(?:^|\n)(\{"end":.*\})\n$/.exec(buffer.toString('latin1', 0, bytesRead)) ?? [];
    return text === undefined ? null : endOf(JSON.parse(text));
  } finally {
    await handle.close();
  }
}

const END_BYTES_MAX = 64;

function endOf({ end }: Readonly<Record<string, unknown>>): number | null {
  const { count } = (end ?? {}) as { readonly count?: unknown };
  return typeof count === 'number' ? count : null;
}
