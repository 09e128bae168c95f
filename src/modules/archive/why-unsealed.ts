import { isFailure } from '../../database/failure';
import { DomainError, isUnavailable } from '../../errors';
import { WorkerEnded } from '../../store/archive/asked-process';
import { PlaceFailed } from '../../store/archive/file-place';
import { causesOf, isFullDisk } from '../../store/archive/full-disk';
import { NotProven } from '../../store/archive/prove-file';

export const FAILED = 'an attempt failed';

/** Whether other weeks would fail in the same way: the disk or the place of files is full, or the place does not answer. */
export const concernsAll = (error: unknown): boolean =>
  isFullDisk(error) || [...causesOf(error)].some((cause) => cause instanceof PlaceFailed);

/** Why a week stays in rows, in words for operators and for the tenant. */
export function whyUnsealed(error: unknown): string {
  const causes = [...causesOf(error)];
  const place = causes.find((cause) => cause instanceof PlaceFailed);
  if (place) return isFullDisk(error) ? 'the place that ARCHIVE_URL names is full' : place.message;
  if (isFullDisk(error)) return 'the disk of DATA_DIR is full';
  if (causes.some((cause) => cause instanceof NotProven))
    return 'what was read back from the file is not what the evidence log has';
  if (causes.some((cause) => cause instanceof WorkerEnded)) return 'the process that makes files ended';
  if (isFailure(error, 'disk_full')) return 'the disk of the database is full';
  // It names the former file of the week.
  return error instanceof DomainError && isUnavailable(error) && !error.cause ? error.message : FAILED;
}
