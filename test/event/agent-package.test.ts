import { compareVersions, partsOf, readHeader } from '../../src/event/agent-package';
import { permissionsOf } from '../../src/event/formats/values';
import { LIMITS } from '../../src/limits';

describe('the first line of a package of the agent', () => {
  it.each([
    ['1.2.3 build 4', { version: '1.2.3', build: 4 }],
    ['0.1.0+gabc-1.x build 0', { version: '0.1.0+gabc-1.x', build: 0 }],
    ['1.2.3 build 2147483647', { version: '1.2.3', build: 2_147_483_647 }],
    ['1.2.3 build 2147483648', null],
    ['1.2.3 build -1', null],
    ['1.2 build 4', null],
    ['1.2.3-rc build 4', null],
    ['1.2.3', null],
  ])('%s', (text, header) => {
    for (const lineEnd of ['\n', '\r\n'])
      expect(readHeader(`// audit-agent ${text}${lineEnd}x`)).toEqual(header);
    expect(readHeader(`// audit-agent ${text}`)).toBeNull();
    expect(readHeader(`\n// audit-agent ${text}\n`)).toBeNull();
  });
});

describe('versions of the agent', () => {
  it('are newer by their numbers, and of equal ones by their build, where both are known', () => {
    const newestFirst = [
      ['10.0.0', 1],
      ['2.0.0', 1],
      ['1.10.0', 1],
      ['1.9.10', 1],
      ['1.9.9+gabc', 7],
      ['1.9.9+gdef', 6],
    ] as const;
    const versions = newestFirst.map(([version, build]) => ({ version, build }));
    expect(versions.toReversed().sort((a, b) => compareVersions(b, a))).toEqual(versions);
    const unknown = { version: '1.9.9', build: null };
    expect(versions.slice(-3).map((one) => Math.sign(compareVersions(one, unknown)))).toEqual([1, 0, 0]);
  });
});

it('a file is sent in as many parts as its size needs', () => {
  const part = LIMITS.agentPackagePartBytes;
  expect([1, part, part + 1, 3 * part].map(partsOf)).toEqual([1, 1, 2, 3]);
});

it('permissions of a statement are told up to a number, without empty ones', () => {
  const names = Array.from({ length: 60 }, (_, i) => `P${i}`);
  expect(permissionsOf(`GRANT ${names.join(', ')} TO eve`)).toEqual(names.slice(0, 50));
  expect(permissionsOf('revoke grant option for SELECT,, UPDATE on dbo.T from eve')).toEqual([
    'SELECT',
    'UPDATE',
  ]);
  for (const none of ['SELECT 1', 'GRANT SELECT', null]) expect(permissionsOf(none)).toEqual([]);
});
