import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDuck, whatDuckLacks } from '../../src/store/archive/open-duck';

describe('the library of sealed weeks', () => {
  const own = `@duckdb/node-bindings-${process.platform}-${process.arch}`;
  const findOnly = (name: string | null) => (file: string) => {
    if (file === `${name}/duckdb.node`) return `/node_modules/${file}`;
    throw new Error(`Cannot find module '${file}'`);
  };

  it('is found where the package of the platform is installed, for either C library', () => {
    expect(whatDuckLacks()).toBeNull();
    expect(whatDuckLacks(findOnly(own))).toBeNull();
    expect(whatDuckLacks(findOnly(`${own}-musl`))).toBeNull();
  });

  it('reads and writes in its folder alone, whatever it is asked', async () => {
    const [folder, other] = [
      await mkdtemp(path.join(tmpdir(), 'own-')),
      await mkdtemp(path.join(tmpdir(), 'own-')),
    ];
    await writeFile(path.join(other, 'secret'), 'x');
    const duck = await openDuck({ memoryMb: 64, threads: 1, folder });
    const connection = await duck.connect();
    const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRows().length;
    await ask(`COPY (SELECT 1 AS a) TO '${folder}/a.parquet' (FORMAT parquet)`);
    expect(await ask(`FROM read_parquet('${folder}/a.parquet')`)).toBe(1);
    for (const sql of [
      `FROM read_text('${other}/secret')`,
      `FROM read_text('${folder}/../${path.basename(other)}/secret')`,
      `COPY (SELECT 1) TO '${other}/b.parquet' (FORMAT parquet)`,
      'SET enable_external_access = true',
    ])
      await expect(ask(sql)).rejects.toThrow(/disabled by configuration|has been locked/);
    connection.closeSync();
    duck.closeSync();
    for (const one of [folder, other]) await rm(one, { recursive: true });
  });

  it('is named with what to do where the package is missing', () => {
    const lacks = whatDuckLacks(findOnly('@duckdb/node-bindings-aix-ppc64'));
    expect(lacks).toMatch(`the package ${own}, which is not there`);
    expect(lacks).toMatch(`npm install --no-save ${own}@VERSION`);
  });
});
