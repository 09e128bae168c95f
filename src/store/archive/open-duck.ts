import type { DuckDBInstance } from '@duckdb/node-api';

export interface DuckBounds {
  readonly memoryMb: number;
  readonly threads: number;
  /** Where all files are that DuckDB reads and writes, and what its memory does not hold. */
  readonly folder: string;
}

const PLATFORM = `${process.platform}-${process.arch}`;
/** npm installs one of them, or none where DuckDB is not built for the platform. */
const BINDINGS = [`@duckdb/node-bindings-${PLATFORM}`, `@duckdb/node-bindings-${PLATFORM}-musl`];

const without = (name: string) =>
  `files of sealed weeks need the package ${name}, which is not there. ` +
  `Install it in the version of @duckdb/node-bindings (npm install --no-save ${name}@VERSION), or run the service where ` +
  'a release has it (Linux x64). Until then no week is sealed, and sealed weeks are answered with 503';

/** Looks without loading anything. @returns what is missing and what to do, for operators; null: nothing is */
export function whatDuckLacks(find: (file: string) => string = require.resolve): string | null {
  const isThere = (name: string) => {
    try {
      find(`${name}/duckdb.node`);
      return true;
    } catch {
      return false;
    }
  };
  return BINDINGS.some(isThere) ? null : without(BINDINGS[0] as string);
}

/** @throws Error for operators, if the library is not there or this system cannot load it */
export async function openDuck({ memoryMb, threads, folder }: DuckBounds): Promise<DuckDBInstance> {
  const lacks = whatDuckLacks();
  if (lacks) throw new Error(lacks);
  // Loaded only by who uses files: the library takes tens of megabytes of memory.
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMb}MB`,
    threads: String(threads),
    temp_directory: folder,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  // Whatever is asked: no file elsewhere, no network, and no way to change that.
  for (const setting of [
    // A file never changes: its name is its hash.
    'parquet_metadata_cache = true',
    "validate_external_file_cache = 'NO_VALIDATION'",
    `allowed_directories = ['${folder.replaceAll("'", "''")}/']`,
    'enable_external_access = false',
    'lock_configuration = true',
  ])
    await connection.run(`SET ${setting}`);
  connection.closeSync();
  return instance;
}
