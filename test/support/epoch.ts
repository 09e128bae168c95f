import { createHash } from 'node:crypto';
import type { EpochState } from '../../src/store/log/epoch/epoch';
import type { LogEpoch } from '../../src/store/log/epoch/log-epoch';

export const TEST_EPOCH: EpochState = {
  epoch: '6925a1b0c3d4e5f6',
  former: [],
  isBridged: false,
  beganAt: new Date('2026-01-01T00:00:00Z'),
  cause: 'first',
  reason: 'the first start',
  hold: null,
};

/** The epoch of parts that run without a service: nothing is held back. */
export const testEpoch = () =>
  ({
    state: TEST_EPOCH,
    cursorKey: createHash('sha256').update('cursor').digest(),
    isDrill: false,
    healthy: true,
    pause: null,
    pauseOf: () => null,
    settle: () => {},
    look: async () => TEST_EPOCH,
    noticeSetBack: async () => {},
    noticeEpoch: async () => {},
    unlessPaused: <T>(work: () => Promise<T>) => work(),
  }) as unknown as LogEpoch;
