import type { DeclareMetrics } from '../../observe/open-metrics';
import type { SealingTally } from './sealer';

export const declareMetrics =
  (tally: SealingTally): DeclareMetrics =>
  (metrics, figures) => {
    const count = (name: string, help: string, read: () => number) =>
      metrics.counters(`archive_${name}_total`, help, [], () => [{ labels: {}, value: read() }]);
    count('sealed', 'Weeks of a tenant that were put into files.', () => tally.weeks);
    count('sealed_events', 'Events of these files.', () => tally.events);
    count('sealed_bytes', 'Bytes of these files.', () => tally.bytes);
    count('seal_seconds', 'Time that attempts took.', () => tally.seconds);
    count('seal_failures', 'Attempts that failed. The events stay in rows.', () => tally.failures);
    metrics.gauge(
      'archive_waiting',
      'Weeks that are due and do not lie in a file yet, where `ARCHIVE_AFTER_DAYS` is set.',
      () => tally.waiting,
    );
    metrics.gauge('archive_files', 'Weeks that lie in files.', () => figures()?.sealedWeeks ?? null);
    metrics.gauge('archive_file_bytes', 'Bytes of all these files.', () => figures()?.sealedBytes ?? null);
  };
