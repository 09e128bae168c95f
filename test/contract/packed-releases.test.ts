import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, validate } from 'graphql';
import { describeSchema } from '../../src/schema';
import { Release } from '../support/release';

const PACKED = path.join(__dirname, '../fixtures/releases');

describe('a packed release', () => {
  it.each(Release.packed())('%s finds every package that it needs', (commit) => {
    const release = Release.unpack(commit);

    release.remove();
  });

  it.each(Release.packed())('%s has an open page that goes on with this service', (commit) => {
    const questions = parse(readFileSync(path.join(PACKED, `release-${commit}.graphql`), 'utf8'));
    expect(questions.definitions.length).toBeGreaterThan(10);
    expect(validate(describeSchema(), questions).map(({ message }) => message)).toEqual([]);
  });

  it('is there', () => {
    expect(Release.packed()).not.toEqual([]);
  });
});
