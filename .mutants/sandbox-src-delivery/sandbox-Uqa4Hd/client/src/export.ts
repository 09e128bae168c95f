import type { components, operations } from './api.js';
import { ConnectionError } from './errors.js';
import type { Http } from './http.js';

type Query = NonNullable<operations['exportAuditActivity']['parameters']['query']>;
export type ExportLine = components['schemas']['AuditActivityExportLine'];

export interface ExportOptions extends Omit<Query, 'format' | 'schema' | 'cursor' | 'end'> {
  readonly signal?: AbortSignal;
  /** How often the export goes on after its stream broke off. Default 5. */
  readonly resumes?: number;
}

/**
 * All matching events, oldest first, as they are read. After its stream breaks off, the export goes on after the last
 * event.
 * @throws ConnectionError if the stream breaks off too often: the events before it are only a part
 */
export async function* exportEvents(
  http: Http,
  { signal, resumes = 5, ...query }: ExportOptions,
): AsyncGenerator<ExportLine, void, undefined> {
  let last: string | undefined;
  for (let resumed = 0; ; resumed++) {
    const further = { ...query, end: '1' as const, cursor: last };
    const response = await http.stream('/audit-activity/export', further, signal && { signal });
    let isWhole = false;
    try {
      for await (const line of linesOf(response)) {
        const value = JSON.parse(line) as ExportLine | { end: { count: number } };
        if ('end' in value) isWhole = true;
        else {
          yield value;
          last = value.recordId;
        }
      }
    } catch (cause) {
      signal?.throwIfAborted();
      if (resumed >= resumes) throw new ConnectionError('the export broke off', { cause });
      continue;
    }
    if (isWhole) return;
    if (resumed >= resumes) throw new ConnectionError('the export ended before its last line');
  }
}

async function* linesOf(response: Response): AsyncGenerator<string, void, undefined> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
