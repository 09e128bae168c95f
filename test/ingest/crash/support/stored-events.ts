import { type AuditRecord, ENTRY_SALT } from '../../../../src/event/audit-record';
import type { LoggedEvent } from '../../../../src/store/log/evidence/entry';
import { toStoredEvent } from '../../../../src/store/rows/event-rows';
import type { Stored } from '../../../support/brute-force';
import type { IngestedEvent } from '../../../support/events';

/** A row of the event table, as the evidence log states it (`logged`) and as an agent sent it (`event`). */
export interface StoredEvent extends Stored {
  readonly logged: LoggedEvent;
}

export function storedEventOf(row: Readonly<Record<string, unknown>>): StoredEvent {
  const logged = toStoredEvent(row as Parameters<typeof toStoredEvent>[0]) as unknown as LoggedEvent;
  const { recordId, tenantId, additional, ...fields } = logged;
  const { file, fileGuid, blockOffset, index, parts, [ENTRY_SALT]: _, ...stated } = additional;
  const place = { file, fileGuid, blockOffset, index, parts } as Omit<AuditRecord, keyof typeof fields>;
  return { logged, recordId, tenantId, event: { ...fields, ...place, additional: stated } as IngestedEvent };
}

export const placeOf = ({ fileGuid, blockOffset, index }: IngestedEvent): string =>
  `${fileGuid} ${blockOffset} ${index}`;
