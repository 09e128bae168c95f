import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../clock';
import type { DatabaseConfig } from '../config/parse-config';
import { errorText } from '../log';
import type { AuditSource, FoundFile } from '../source/audit-source';
import type { Environment } from '../source/environment';
import { isShared, isStored, openSource } from '../source/open-source';
import { type DecodedItem, decodeFiles } from '../sqlaudit/decode-files';
import { AGENT_TIMES } from '../times';
import { type CheckResult, note, ok, problem } from './check-result';

const NO_BOOKMARKS = { of: () => null, all: () => [] };

/** The most files that a finding names. */
const FILES_NAMED = 3;

/** The number of records that are decoded as a proof. */
const RECORDS_TRIED = 5;

/** Whether the audit files of a database can be found and decoded. */
export async function checkFiles(database: DatabaseConfig, env: Environment): Promise<CheckResult[]> {
  if (!isStored(database.source)) return checkSource(database, env, '');
  // Archives are unpacked to a file.
  const folder = await mkdtemp(join(tmpdir(), 'audit-agent-check-'));
  try {
    return await checkSource(database, env, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkSource(
  { name, source: config }: DatabaseConfig,
  env: Environment,
  folder: string,
): Promise<CheckResult[]> {
  const source = openSource(config, {
    env,
    clock: systemClock,
    times: AGENT_TIMES,
    bookmarks: NO_BOOKMARKS,
    once: true,
    stop: new AbortController().signal,
    folder,
  });
  const listing = await source.list();
  if (listing.kind === 'unreadable' && isStored(config))
    return [problem(`${name}: ${listing.folder} cannot be listed: ${listing.reason}`)];
  if (listing.kind === 'unreadable') {
    if (isShared(config) && listing.isAway)
      return [ok(`${name}: ${listing.folder} is away (${listing.reason}): the agent stands by`)];
    return [
      problem(
        `${name}: ${listing.folder} cannot be read: ${listing.reason}. It must exist, and the account the agent ` +
          'runs under needs the right to read and list it',
      ),
    ];
  }
  const skipped = listing.skipped.map(({ folder, reason }) =>
    problem(`${name}: the folder or link ${folder} cannot be listed: ${reason}`),
  );
  const newest = listing.files.at(-1);
  if (newest === undefined && isStored(config))
    return [problem(`${name}: ${source.state?.().problem ?? `no audit file in ${source.title}`}`)];
  if (newest === undefined && skipped.length === 0 && isShared(config)) {
    return [
      note(
        `${name}: no file matches ${source.title}: the agent stands by. If the folder is here now, correct AuditFilePath`,
      ),
    ];
  }
  if (newest === undefined) {
    return [
      ...skipped,
      problem(`${name}: no file matches ${source.title}: correct AuditFilePath, or start the server audit`),
    ];
  }
  const count = listing.files.length;
  return [
    ...skipped,
    ok(`${name}: ${count} ${count === 1 ? 'file matches' : 'files match'} ${source.title}`),
    // To open an object asks the store for nothing.
    ...(isStored(config) ? [] : await unreadable(name, source, listing.files.slice(0, -1))),
    await tried(name, source, newest),
  ];
}

/** Names the older files that the agent may not read. */
async function unreadable(
  name: string,
  source: AuditSource,
  files: readonly FoundFile[],
): Promise<CheckResult[]> {
  const refused: string[] = [];
  for (const { path } of files) {
    // SQL Server may have removed it meanwhile.
    const reason = await source.open(path).then((bytes) => bytes.close().then(() => null), errorText);
    if (reason !== null && !reason.startsWith('ENOENT')) refused.push(reason);
  }
  if (refused.length === 0) return [];
  const more = refused.length > FILES_NAMED ? `; and ${refused.length - FILES_NAMED} more` : '';
  const named = refused.slice(0, FILES_NAMED).join('; ');
  return [problem(`${name}: ${refused.length} of the older files cannot be read: ${named}${more}`)];
}

async function tried(
  name: string,
  source: AuditSource,
  { path, size, mtimeMs }: FoundFile,
): Promise<CheckResult> {
  const file = `${name}: the newest, ${path} (${size} bytes, last written ${new Date(mtimeMs).toISOString()})`;
  const items: DecodedItem[] = [];
  for await (const item of decodeFiles([path], (at) => source.open(at))) {
    items.push(item);
    if (item.kind === 'problem' || items.length === RECORDS_TRIED) break;
  }
  const last = items.at(-1);
  if (last === undefined) return ok(`${file}, can be decoded and holds no record yet`);
  if (last.kind === 'problem' && items.length === 1) {
    return problem(`${file}, cannot be decoded: byte ${last.offset}: ${last.reason}`);
  }
  const [first] = items;
  const from = first?.kind === 'record' ? first.record.eventTime : '';
  return ok(`${file}, can be decoded: its first record is of ${from}`);
}
