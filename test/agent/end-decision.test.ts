import { decideAtEnd } from '../../agent/tail/end-decision';

describe('zeros in a file that is not the newest of its audit', () => {
  const OFFSET = 14_336;
  const decide = (soundBlock: number | null, once = false, polls = 2) =>
    decideAtEnd(
      {
        stop: { kind: 'endOfWritten', offset: OFFSET, sinceMs: 0, polls },
        next: { blockOffset: OFFSET, index: 0 },
        isLast: false,
        size: 65_536,
        mtimeMs: 0,
        describes: () => true,
        soundBlockAfter: async () => soundBlock,
      },
      { kind: 'endOfWritten', offset: OFFSET },
      { nowMs: 60_000, once, waitMs: 1_000 },
    );

  it('are skipped if a block stands behind them, and count as lost records', async () => {
    expect(await decide(OFFSET + 512)).toMatchObject({ kind: 'skip', lostFrom: OFFSET, to: OFFSET + 512 });
  });

  it('are the end of the file if no block stands behind them', async () => {
    expect(await decide(null)).toEqual({ kind: 'finish', endSize: 65_536, problem: null, lostFrom: null });
  });

  it('are looked at a second time before they count, except in a single run', async () => {
    expect(await decide(null, false, 1)).toEqual({ kind: 'wait', holdBack: false, problem: null });
    expect(await decide(null, true, 1)).toMatchObject({ kind: 'finish' });
  });

  it('are no loss if a block was written in their place after they were read', async () => {
    for (const once of [false, true])
      expect(await decide(OFFSET, once)).toEqual({ kind: 'wait', holdBack: false, problem: null });
  });
});
