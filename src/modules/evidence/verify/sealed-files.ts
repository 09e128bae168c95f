import {
  type FileEntry,
  fileEntryLeaf,
  fileText,
  parseFile,
  parseFileEntry,
} from '../../../store/log/evidence/file-entry';

/** The file of a sealed week that the log has an entry for, and the index of the entry. */
interface Found {
  readonly entry: FileEntry;
  readonly place: number;
}

/** What a service says of the files of a tenant's sealed weeks. */
export interface StatedFiles {
  /** The entries that they have in the log (`file-entry.ts`), in any order. */
  readonly fileEntries: readonly string[];
  /** The list of files by which questions are answered now. */
  readonly files: readonly string[];
}

/**
 * Finds the entries of files in a log. Nobody can state others: only the service adds such entries.
 * @param placesOf the indexes of the entries under an id, with their leaf hashes
 * @param size entries from this index on do not count
 */
export function fileEntriesIn(
  tenantId: string,
  texts: readonly string[],
  size: number,
  placesOf: (entryId: string) => readonly { readonly place: number; readonly hash: Buffer }[],
): readonly Found[] {
  return texts.flatMap((text) => {
    const entry = parseFileEntry(text);
    if (!entry || entry.tenantId !== tenantId) return [];
    const leaf = fileEntryLeaf(text);
    const found = placesOf(entry.entryId).find((one) => one.place < size && one.hash.equals(leaf));
    return found ? [{ entry, place: found.place }] : [];
  });
}

interface FileFindings {
  /** Signs of a change, in sentences. */
  readonly problems: readonly string[];
  /** What keeps from a verdict. */
  readonly open: readonly string[];
  readonly notes: readonly string[];
}

/** Compares the list of files with what the log says of them: the newest entry of a week is of the file that it has. */
export function checkFiles({ fileEntries, files }: StatedFiles, found: readonly Found[]): FileFindings {
  const [problems, open, notes]: [string[], string[], string[]] = [[], [], []];
  const inLog = new Set(found.map(({ entry }) => entry.entryId));
  const newest = new Map<string, Found>();
  for (const one of found)
    if ((newest.get(one.entry.file.week)?.place ?? -1) < one.place) newest.set(one.entry.file.week, one);
  const waiting = fileEntries
    .map(parseFileEntry)
    .flatMap((entry) => (entry && !inLog.has(entry.entryId) ? [fileText(entry.file)] : []));
  for (const text of files) {
    const file = parseFile(text);
    const own = file && newest.get(file.week)?.entry.file;
    if (!file) problems.push('the list of files has something that is no file');
    else if (own && fileText(own) === text) continue;
    else if (waiting.includes(text))
      open.push(`the file of the week ${monday(file.week)} is not in the signed log yet`);
    else if (own)
      problems.push(
        `the week ${monday(file.week)} has the file ${file.sha256}, and the log says that it was put into ${own.sha256}` +
          (own.sha256 === file.sha256 ? ', with other numbers of events' : ''),
      );
    else
      notes.push(
        `the file of the week ${monday(file.week)} has no entry in the log: it was made before files had any`,
      );
  }
  return { problems, open, notes };
}

const monday = (week: string) => week.slice(0, 'YYYY-MM-DD'.length);
