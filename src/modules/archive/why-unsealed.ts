import { hadNoRoom } from '../../database/disk-room';
import { causesOf, DomainError, isUnavailable } from '../../errors';
import { WorkerEnded } from '../../store/archive/asked-process';
import { PlaceFailed } from '../../store/archive/file-place';
import { fullDiskIn } from '../../store/archive/full-disk';
import { NotProven } from '../../store/archive/prove-file';

export const FAILED = 'an attempt failed';

/** Whether other weeks would fail in the same way: the disk or the place of files is full, or the place does not answer. */
export const concernsAll = (error: unknown): boolean =>
  hadNoRoom(error) || [...causesOf(error)].some((cause) => cause instanceof PlaceFailed);

/** Why a week stays in rows, in words for operators and for the tenant. */
export function whyUnsealed(error: unknown): string {
  const causes = [...causesOf(error)];
  const place = causes.find((cause) => cause instanceof PlaceFailed);
  if (place) return hadNoRoom(error) ? 'the place that ARCHIVE_URL names is full' : place.message;
  const full = fullDiskIn(error);
  if (full !== null) return full;
  if (causes.some((cause) => cause instanceof NotProven))
    return 'what was read back from the file is not what the evidence log has';
  if (causes.some((cause) => cause instanceof WorkerEnded)) return 'the process that makes files ended';
  // It names the former file of the week.
  return error instanceof DomainError && isUnavailable(error) && !error.cause ? error.message : FAILED;
}
