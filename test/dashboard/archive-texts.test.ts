import { OPERATE } from '../../dashboard/src/operate/texts';
import { OPERATE_DE } from '../../dashboard/src/operate/texts.de';

describe('the line above the archived weeks', () => {
  it('does not call the newest weeks all, where there may be more', () => {
    expect(OPERATE.weeks(1_000, 5, 1_024, true)).toMatch(/^The newest 1,000 weeks, /);
    expect(OPERATE_DE.weeks(1_000, 5, 1_024, true)).toMatch(/^Die neuesten 1\D?000 Wochen, /);
    expect(OPERATE.weeks(2, 5, 1_024, false)).toMatch(/^2 weeks, /);
  });
});
