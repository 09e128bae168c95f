/**
 * `node schema-drift.mjs DATABASE_URL` prints what Prisma's own schema engine would still change in a migrated
 * database to make it the one that prisma/schema.prisma describes, and what it thinks of the migrations'
 * history, as JSON. It runs in a process of its own, since the engine is WebAssembly behind an ES module.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
const connectionString = process.argv[2];

const require = createRequire(import.meta.url);
const wasm = join(
  dirname(require.resolve('@prisma/schema-engine-wasm/schema_engine_bg')),
  'schema_engine_bg.wasm',
);
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), { './schema_engine_bg.js': engine });
engine.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start?.();

const path = join(ROOT, 'prisma/schema.prisma');
const files = [{ path, content: readFileSync(path, 'utf8') }];
const baseDir = join(ROOT, 'prisma/migrations');
const migrationDirectories = readdirSync(baseDir, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => {
    const content = readFileSync(join(baseDir, name, 'migration.sql'), 'utf8');
    return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: content } } };
  });
const filters = { externalTables: [], externalEnums: [] };
/** Columns in which the engine reads PostgreSQL's one-byte type "char", which the adapter does not support. */
const ONE_BYTE = ['constraint_type', 'confdeltype', 'confupdtype'];
const CAST = /^(\s*con(?:str)?\.(?:contype|confdeltype|confupdtype))(?= AS|,)/gm;

class Adapter extends PrismaPg {
  async connect() {
    const connection = await super.connect();
    const queryRaw = connection.queryRaw.bind(connection);
    connection.queryRaw = async (query) => {
      const sql = query.sql.replace(CAST, (column) => {
        const name = column.trim().split('.')[1];
        return name === 'contype' ? `${column}::text` : `${column}::text AS ${name}`;
      });
      const result = await queryRaw({ ...query, sql });
      for (const [i, name] of result.columnNames.entries()) {
        if (sql !== query.sql && ONE_BYTE.includes(name)) result.columnTypes[i] = ColumnTypeEnum.Character;
      }
      return result;
    };
    return connection;
  }
}
const factory = bindMigrationAwareSqlAdapterFactory(new Adapter({ connectionString }));
const migrate = await engine.SchemaEngine.new({ datamodels: [[path, files[0].content]] }, () => {}, factory);
const { stdout } = await migrate.diff({
  from: { tag: 'schemaDatasource', files, configDir: dirname(path) },
  to: { tag: 'schemaDatamodel', files, configDir: dirname(path) },
  script: true,
  exitCode: null,
  shadowDatabaseUrl: null,
  filters,
});
const history = await migrate.diagnoseMigrationHistory({
  migrationsList: {
    baseDir,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"' },
    shadowDbInitScript: '',
    migrationDirectories,
  },
  optInToShadowDatabase: false,
  filters,
});
process.stdout.write(JSON.stringify({ diff: stdout, history }));
process.exit(0);
