import { type Source, sourcesOf, withoutComments } from '../support/imports';

/** The files that may read the process's environment. All others get their settings as arguments. */
const READS_ENVIRONMENT = ['src/main.ts', 'src/cli/main.ts', 'src/node-env.ts', 'agent/main.ts'];

const ENVIRONMENT = [
  /\bprocess\s*(\?\.|\.)\s*env\b/, // process.env
  /\bprocess\s*(\?\.)?\s*\[/, // process['env']
  /\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/, // const { env } = process
  /\benv\b[^;]*from\s*['"](node:)?process['"]/, // import { env } from 'node:process'
];

const readsEnvironment = ({ file, text }: Source): string[] =>
  ENVIRONMENT.some((pattern) => pattern.test(withoutComments(text))) && !READS_ENVIRONMENT.includes(file)
    ? [`${file}: reads process.env; take the value as an argument`]
    : [];

describe('the environment of the process', () => {
  it('is read only by the entry points', () => {
    expect(sourcesOf('src', 'rest-facade', 'agent').flatMap(readsEnvironment)).toEqual([]);
  });

  it.each([
    'process.env.PORT',
    `process['env']`,
    'const { env } = process',
    'process?.env',
    `import { env } from 'node:process';`,
  ])('the check notices an access written as %s', (text) => {
    expect(readsEnvironment({ file: 'src/limits.ts', text })).toHaveLength(1);
  });
});
