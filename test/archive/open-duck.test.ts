import { whatDuckLacks } from '../../src/store/archive/open-duck';

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

  it('is named with what to do where the package is missing', () => {
    const lacks = whatDuckLacks(findOnly('@duckdb/node-bindings-aix-ppc64'));
    expect(lacks).toMatch(`the package ${own}, which is not there`);
    expect(lacks).toMatch(`npm install --no-save ${own}@VERSION`);
  });
});
