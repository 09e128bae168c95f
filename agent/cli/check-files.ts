import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { DatabaseConfig } from '../config/parse-config';
import { errorText } from '../log';
import { type DecodedItem, decodeFiles } from '../sqlaudit/decode-files';
import { type FoundFile, listAuditFiles } from '../tail/audit-glob';
import { type Finding, ok, problem } from './check';

/** Files that are named where there are more of the kind. */
const FILES_NAMED = 3;

/** Records that are decoded as a proof. */
const RECORDS_TRIED = 5;

/** Whether the audit files of a database are there and can be decoded. */
export async function checkFiles({ name, glob }: DatabaseConfig): Promise<Finding[]> {
  const place = `${glob.pattern ?? 'audit files'} in ${glob.folder}`;
  const listing = await listAuditFiles(glob);
  if (listing.kind === 'unreadable') {
    return [
      problem(
        `${name}: ${listing.folder} cannot be read: ${listing.reason}. It must exist, and the account the agent ` +
          'runs under needs the right to read and list it',
      ),
    ];
  }
  const skipped = listing.skipped.map(({ folder, reason }) =>
    problem(`${name}: the folder ${folder} cannot be listed: ${reason}`),
  );
  const newest = listing.files.at(-1);
  if (newest === undefined) {
    return [
      ...skipped,
      problem(`${name}: no file matches ${place}: correct AuditFilePath, or start the server audit`),
    ];
  }
  const count = listing.files.length;
  return [
    ...skipped,
    ok(`${name}: ${count} ${count === 1 ? 'file matches' : 'files match'} ${place}`),
    ...(await unreadable(name, listing.files.slice(0, -1))),
    await tried(name, newest),
  ];
}

/** Files beside the newest that may not be read. */
async function unreadable(name: string, files: readonly FoundFile[]): Promise<Finding[]> {
  const refused: string[] = [];
  for (const { path } of files) {
    // One that was removed meanwhile is SQL Server's business.
    const reason = await access(path, constants.R_OK).then(() => null, errorText);
    if (reason !== null && !reason.startsWith('ENOENT')) refused.push(reason);
  }
  if (refused.length === 0) return [];
  const more = refused.length > FILES_NAMED ? `; and ${refused.length - FILES_NAMED} more` : '';
  const named = refused.slice(0, FILES_NAMED).join('; ');
  return [problem(`${name}: ${refused.length} of the older files cannot be read: ${named}${more}`)];
}

async function tried(name: string, { path, size, mtimeMs }: FoundFile): Promise<Finding> {
  const file = `${name}: the newest, ${path} (${size} bytes, last written ${new Date(mtimeMs).toISOString()})`;
  const items: DecodedItem[] = [];
  for await (const item of decodeFiles([path])) {
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
