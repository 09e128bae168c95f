import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import type { ErasureFiles } from '../../store/log/evidence/erasure-files';
import { RestoreResolver } from './restore.resolver';

/** Restored databases: noticing them, and what an operator says about them. */
export const restoreModule = (epoch: LogEpoch, erasures: Pick<ErasureFiles, 'lost'>): Module => ({
  resolvers: [new RestoreResolver(epoch, erasures)],
  tasks: [
    {
      name: 'restore-watch',
      doc: 'looking for a restored database',
      everyMs: LIMITS.epochLookMs,
      run: () => epoch.look().then(() => 0),
    },
  ],
  metrics: (metrics) =>
    metrics.gauge(
      'restore_hold',
      '1 while destinations, mail, notices and retention wait for an operator, after a restore or in a drill.',
      () => Number(!epoch.healthy),
    ),
  health: [epoch],
});
