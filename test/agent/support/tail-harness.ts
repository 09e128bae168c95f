import { Checkpoint } from '../../../agent/checkpoint/checkpoint';
import { systemClock } from '../../../agent/clock';
import { LineLog } from '../../../agent/log';
import { Problems } from '../../../agent/problems';
import { parseAuditGlob } from '../../../agent/tail/audit-glob';
import type { Batch } from '../../../agent/tail/database-tail';
import { DatabaseTail } from '../../../agent/tail/database-tail';
import { QUICK } from './agent-world';

/** A tail of audit files with its checkpoint, as after a start of the agent. */
export async function startTail(folder: string, checkpointPath: string, once: boolean, eventsMax = 5) {
  const log = new LineLog(() => {});
  const checkpoint = await Checkpoint.load(checkpointPath, { database: 'X', log, clock: systemClock });
  const tail = new DatabaseTail({
    ...{ database: 'X', glob: parseAuditGlob('*.sqlaudit', folder), sourceType: 'DirectFile', once, log },
    ...{ limits: { eventsMax, bytesMax: 1e6, ageMaxMs: 0 }, pollIntervalMs: 10, clock: systemClock },
    ...{ times: { ...QUICK, joinWaitMs: 60_000 }, problems: new Problems('X', log, once) },
    entryOf: (fileGuid) => checkpoint.entry(fileGuid),
  });
  return { tail, checkpoint };
}

export const eventsOfBatch = ({ events }: Batch) => events.map(({ json }) => JSON.parse(json));
