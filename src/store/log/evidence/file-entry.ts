import { isOwnId, ownLeaf } from './own-entry';

const KIND = 'file';

/** The file of a sealed week, as the list has it. */
export interface SealedFile {
  /** The beginning of the week, ISO 8601. */
  readonly week: string;
  readonly layout: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly events: number;
  readonly firstId: string;
  readonly lastId: string;
}

/** That a week was put into a file, as the log of its tenant says it. */
export interface FileEntry {
  readonly entryId: string;
  readonly tenantId: string;
  readonly at: string;
  readonly file: SealedFile;
}

const valuesOf = ({ week, layout, sha256, bytes, events, firstId, lastId }: SealedFile) =>
  [week, layout, sha256, bytes, events, firstId, lastId] as const;

/** A file of the list as one text, which is equal for equal files. */
export const fileText = (file: SealedFile): string => JSON.stringify(valuesOf(file));

/** The entry in the evidence log, without its first byte. */
export const fileEntryText = ({ entryId, tenantId, at, file }: FileEntry): string =>
  JSON.stringify([KIND, entryId, tenantId, at, ...valuesOf(file)]);

/** The leaf hash of the entry, 32 bytes. */
export const fileEntryLeaf = (text: string): Buffer => ownLeaf('file', text);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function fileOf(values: readonly unknown[]): SealedFile | null {
  const [week, layout, sha256, bytes, events, firstId, lastId] = values;
  const areTexts = [week, sha256, firstId, lastId].every((value) => typeof value === 'string');
  if (values.length !== 7 || !areTexts || ![layout, bytes, events].every(isCount)) return null;
  return { week, layout, sha256, bytes, events, firstId, lastId } as SealedFile;
}

function listOf(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** @returns null: it is not the text of a file */
export const parseFile = (text: string): SealedFile | null => fileOf(listOf(text));

/** @returns null: it is not the entry of a file */
export function parseFileEntry(text: string): FileEntry | null {
  const [kind, entryId, tenantId, at, ...values] = listOf(text);
  const file = fileOf(values);
  if (kind !== KIND || !file || !isOwnId(entryId)) return null;
  if (typeof tenantId !== 'string' || typeof at !== 'string') return null;
  return { entryId, tenantId, at, file };
}
