import { type Source, sourcesOf, withoutComments } from '../support/imports';

/** Who may look at the process's environment; everybody else is given what it needs. */
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

describe('the environment', () => {
  it('is read by the entrances only', () => {
    expect(sourcesOf('src', 'rest-facade', 'agent').flatMap(readsEnvironment)).toEqual([]);
  });

  it.each([
    'process.env.PORT',
    `process['env']`,
    'const { env } = process',
    'process?.env',
    `import { env } from 'node:process';`,
  ])('would be seen to be read by %s', (text) => {
    expect(readsEnvironment({ file: 'src/limits.ts', text })).toHaveLength(1);
  });
});
