import { Release } from '../support/release';

describe('a packed release', () => {
  it.each(Release.packed())('%s finds every package that it needs', (commit) => {
    const release = Release.unpack(commit);

    release.remove();
  });

  it('is there', () => {
    expect(Release.packed()).not.toEqual([]);
  });
});
