import { execFileSync } from 'node:child_process';
import { readDocument } from '../support/documents';
import { ROOT } from '../support/imports';

describe('how documents and messages name the commands', () => {
  it('without npx, which asks a public registry where the packages of a checkout are not', () => {
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
      .split('\0')
      .filter((name) => /^(docs|src|agent|rest-facade|dashboard|client|installer|deploy|README)/.test(name))
      .filter((name) => /\.(md|tsx?|mjs|json|ya?ml)$|README/.test(name));
    const found = files.flatMap((name) =>
      readDocument(name)
        .split('\n')
        .filter((line) => /npx audit-/.test(line))
        .map((line) => `${name}: ${line}`),
    );
    expect(found).toEqual([
      // The quick start of a checkout, and the table of the ways to call it.
      expect.stringMatching(/^README\.md: In a checkout, /),
      'docs/operate.md: | a checkout of the sources | `npx audit-activity …`, in its folder |',
    ]);
  });
});
