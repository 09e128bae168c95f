import { idBytes } from '../../../src/event/record-id';
import { signedNote } from '../../../src/modules/evidence/checkpoint';
import {
  checkFiles,
  fileEntriesIn,
  type StatedFiles,
} from '../../../src/modules/evidence/verify/sealed-files';
import { leafHashOf } from '../../../src/store/log/evidence/entry';
import {
  type FileEntry,
  fileEntryLeaf,
  fileEntryText,
  fileText,
  parseFile,
  parseFileEntry,
} from '../../../src/store/log/evidence/file-entry';
import { anEventInFull, KEY, logOf, verify } from './log-copies';
import { plainRoot } from './support';

const entryOf = (n: number, change: Partial<FileEntry['file']> = {}): FileEntry => ({
  entryId: `01a216ea-69a9-7c2f-bec2-00000000000${n}`,
  tenantId: '7',
  at: '2026-01-14T08:00:00.123Z',
  file: {
    week: '2026-01-05T00:00:00.000Z',
    layout: 1,
    sha256: 'a'.repeat(64),
    bytes: 900,
    events: 12,
    firstId: '019b8e3a-0000-8000-8000-000000000000',
    lastId: '019b9000-0000-8000-8000-000000000000',
    ...change,
  },
});
const [FIRST, SECOND] = [entryOf(1), entryOf(2, { sha256: 'b'.repeat(64), events: 13 })];
const texts = (...entries: readonly FileEntry[]) => entries.map(fileEntryText);
const found = (entries: readonly FileEntry[], size = 100) =>
  fileEntriesIn('7', texts(...entries), size, (id) =>
    [FIRST, SECOND].flatMap((entry, i) =>
      entry.entryId === id ? [{ place: 10 * (i + 1), hash: fileEntryLeaf(fileEntryText(entry)) }] : [],
    ),
  );

describe('the entry of a file', () => {
  it('is a list that can be read again, and nothing else is', () => {
    expect(parseFileEntry(fileEntryText(FIRST))).toEqual(FIRST);
    expect(parseFile(fileText(FIRST.file))).toEqual(FIRST.file);
    const list = JSON.parse(fileEntryText(FIRST)) as unknown[];
    const others = [
      ...['', 'null', '[]', '{"kind":"file"}', fileText(FIRST.file)],
      ...list.map((_, i) => JSON.stringify(list.toSpliced(i, 1))),
      ...list.map((_, i) => JSON.stringify(list.toSpliced(i, 1, null))),
      JSON.stringify(list.toSpliced(7, 1, -1)),
      JSON.stringify(list.toSpliced(1, 1, '01a216ea-69a9-4c2f-bec2-000000000001')),
    ];
    expect(others.filter((text) => parseFileEntry(text))).toEqual([]);
  });

  it('counts where the log has it, under its id and with its hash, of its tenant, below the signed size', () => {
    expect(found([FIRST, SECOND]).map(({ place }) => place)).toEqual([10, 20]);
    expect(found([FIRST, SECOND], 20).map(({ place }) => place)).toEqual([10]);
    expect(
      found([
        { ...FIRST, tenantId: '8' },
        { ...SECOND, file: FIRST.file },
      ]),
    ).toEqual([]);
  });
});

describe('the list of files', () => {
  const check = (files: readonly string[], ...entries: readonly FileEntry[]) => {
    const stated: StatedFiles = { fileEntries: texts(...entries), files };
    return checkFiles(stated, found(entries));
  };
  const [first, second] = [fileText(FIRST.file), fileText(SECOND.file)];

  it('is sound where each week has the file of its newest entry', () => {
    const sound = { problems: [], open: [], notes: [] };
    expect(check([first], FIRST)).toEqual(sound);
    expect(check([second], FIRST, SECOND)).toEqual(sound);
    expect(check([], FIRST, SECOND)).toEqual(sound);
  });

  it('is changed where a week has another file, an earlier one, or other numbers', () => {
    expect(check([first], FIRST, SECOND).problems).toEqual([
      `the week 2026-01-05 has the file ${'a'.repeat(64)}, and the log says that it was put into ${'b'.repeat(64)}`,
    ]);
    expect(check([fileText({ ...FIRST.file, events: 11 })], FIRST).problems).toEqual([
      expect.stringContaining('with other numbers of events'),
    ]);
    expect(check(['["x"]'], FIRST).problems).toEqual(['the list of files has something that is no file']);
  });

  it('waits for an entry that is not signed yet, and tells of a week that never had one', () => {
    const waiting = entryOf(3, { sha256: 'c'.repeat(64) });
    expect(check([fileText(waiting.file)], FIRST, waiting)).toMatchObject({
      problems: [],
      open: ['the file of the week 2026-01-05 is not in the signed log yet'],
    });
    expect(check([first])).toMatchObject({
      problems: [],
      open: [],
      notes: [expect.stringContaining('2026-01-05')],
    });
  });
});

it('a verifier takes the entries of files for what they are, and names a file that the log does not have', () => {
  const events = [anEventInFull(0), anEventInFull(1)];
  const plain = logOf(events, [2]);
  const [text] = texts(FIRST);
  const leaf = fileEntryLeaf(String(text));
  const leaves = events.map((event) => Buffer.from(leafHashOf(event), 'hex'));
  const note = signedNote(
    { tenantId: 7, size: 3, root: plainRoot([...leaves, leaf]), number: 1, time: '2026-01-15T00:00:00.000Z' },
    KEY,
  );
  const signed = {
    ...plain,
    before: note,
    checkpoints: [note],
    recordIds: Buffer.concat([plain.recordIds, idBytes(FIRST.entryId)]),
    leafHashes: Buffer.concat([plain.leafHashes, leaf]),
  };
  const stated = { fileEntries: [String(text)], files: [fileText(FIRST.file)] };
  expect(verify({ ...signed, sealed: stated }, events)).toMatchObject({
    isSound: true,
    entries: 3,
    problems: [],
  });
  const swapped = { ...stated, files: [fileText(SECOND.file)] };
  expect(verify({ ...signed, sealed: swapped }, events)).toMatchObject({
    isSound: false,
    isChanged: true,
    problems: [expect.stringContaining('2026-01-05')],
  });
  expect(verify({ ...signed, sealed: { fileEntries: [], files: [] } }, events).findings).toMatchObject([
    { kind: 'missing', recordId: FIRST.entryId },
  ]);
});
