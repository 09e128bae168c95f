import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from './agent-world';
import type { FakeIngestService } from './fake-ingest-service';

type Expected = Readonly<Record<string, unknown>>;

/** The records that a reader must find in the audit files of a fixture folder. */
export const expectedRecords = (folder: string): Expected[] =>
  readFileSync(join(FIXTURES, folder, 'expected.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The stored events with only the fields that the expected records name; both lists in the same order. */
export function storedAsExpected(service: FakeIngestService, expected: readonly Expected[]): Expected[] {
  const names = Object.keys(expected[0] ?? {});
  return inOrder(
    service.events.map((event) =>
      Object.fromEntries(names.map((name) => [name, event[name as keyof typeof event]])),
    ),
  );
}

export const inOrder = (records: readonly Expected[]): Expected[] =>
  records.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
