import { statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { BACKUP_MARK } from '../data-folder';
import { LIMITS } from '../limits';
import { Gathered } from './gathered';
import type { DeclareMetrics } from './open-metrics';

/** The metrics of what surrounds the service: disk, backup, certificate, and the clock of the database. */
export const surroundingsOf =
  (parts: { readonly dataDir: string; readonly publicUrl: string | null }): DeclareMetrics =>
  (metrics, figures) => {
    const certificate = new Gathered(() => certificateEnd(parts.publicUrl), LIMITS.certificateKeptMs);
    metrics.gauge(
      'data_folder_bytes',
      'Size of the file system of `DATA_DIR`.',
      () => room(parts.dataDir)?.size ?? null,
    );
    metrics.gauge(
      'data_folder_free_bytes',
      'Free room on the file system of `DATA_DIR`.',
      () => room(parts.dataDir)?.free ?? null,
    );
    metrics.gauge(
      'backup_last_timestamp_seconds',
      'When the last backup ended: the time of the file `last-backup` in `DATA_DIR`.',
      () => changedAt(path.join(parts.dataDir, BACKUP_MARK)),
    );
    metrics.gauge(
      'certificate_ends_timestamp_seconds',
      'When the certificate ends that is shown at `PUBLIC_URL`; looked at every hour.',
      () => {
        // A scrape does not wait for it: the next one has it.
        void certificate.refresh();
        return certificate.value;
      },
    );
    metrics.gauge(
      'database_clock_ahead_seconds',
      "By which the clock of the database is ahead of this instance's; below zero: behind.",
      () => figures()?.clockAheadSeconds ?? null,
    );
  };

function room(folder: string): { readonly size: number; readonly free: number } | null {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    // Some file systems do not report their size.
    return blocks === 0 ? null : { size: blocks * bsize, free: bavail * bsize };
  } catch {
    return null;
  }
}

function changedAt(file: string): number | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? found.mtimeMs / 1000 : null;
}

/**
 * @returns when the certificate of an HTTPS address ends, in seconds since 1970; null: the address has none
 * @throws Error if it does not answer in time
 */
export function certificateEnd(url: string | null): Promise<number | null> {
  const { protocol, hostname, port } = new URL(url ?? 'http://none');
  if (protocol !== 'https:') return Promise.resolve(null);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    // A certificate that is not valid has an end as well. Nothing is sent over the connection.
    const socket = connect({
      host,
      port: Number(port || 443),
      ...(/[a-z]/i.test(host) && !host.includes(':') && { servername: host }),
      rejectUnauthorized: false,
    });
    socket.setTimeout(LIMITS.certificateLookMs, () => socket.destroy(new Error('no certificate in time')));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const endsMs = endOf(socket.getPeerCertificate());
      resolve(Number.isNaN(endsMs) ? null : endsMs / 1000);
      socket.destroy();
    });
  });
}

const endOf = ({ valid_to }: Partial<PeerCertificate>) => Date.parse(valid_to ?? '');
