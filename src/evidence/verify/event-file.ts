import { open } from 'node:fs/promises';
import { FIELD_NAMES } from '../../audit-event/fields';
import { isUuid } from '../../audit-event/record-id';
import type { LoggedEvent } from '../entry';
import { linesIn } from './log-file';

const NEEDED = [...FIELD_NAMES, 'additional'];

/**
 * Events of one tenant in an export (NDJSON, each line an event in full). A line that ends an export must state how many
 * events stand before it.
 * @throws Error that names the file, the line and what the line lacks
 */
export async function* eventsIn(file: string, tenantId: string): AsyncGenerator<LoggedEvent> {
  let count = 0;
  for await (const { line, number } of linesIn(file)) {
    const end = endOf(line);
    if (end !== null) {
      if (end !== count)
        throw new Error(
          `${file}: line ${number} ends an export of ${end} events, but ${count} stand before it`,
        );
      count = 0;
      continue;
    }
    count++;
    const lacking = NEEDED.filter((name) => line[name] === undefined);
    if (lacking.length > 0 || !isUuid(String(line.recordId)) || typeof line.additional !== 'object')
      throw new Error(
        `${file}: line ${number} is not an event in full${lacking.length > 0 ? `: it lacks ${lacking.join(', ')}` : ''}`,
      );
    if (line.tenantId === tenantId) yield line as unknown as LoggedEvent;
  }
}

/** How many events the last line of an export says there are; null: that line is missing. */
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
