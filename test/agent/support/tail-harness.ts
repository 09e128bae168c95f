import { Checkpoint } from '../../../agent/checkpoint/checkpoint';
import { systemClock } from '../../../agent/clock';
import { GapStore } from '../../../agent/gaps/gap-store';
import { LineLog } from '../../../agent/log';
import { Problems } from '../../../agent/problems';
import { Spool } from '../../../agent/spool/spool';
import { parseAuditGlob } from '../../../agent/tail/audit-glob';
import type { Batch } from '../../../agent/tail/database-tail';
import { DatabaseTail } from '../../../agent/tail/database-tail';
import { QUICK } from './agent-world';

/** A tail of audit files with its checkpoint, as after a start of the agent. */
export async function startTail(folder: string, checkpointPath: string, once: boolean, eventsMax = 5) {
  const log = new LineLog(() => {});
  const checkpoint = await Checkpoint.load(checkpointPath, { database: 'X', log, clock: systemClock });
  const problems = new Problems('X', log, once);
  const gaps = await GapStore.load(`${checkpointPath}.gaps`, { log });
  const spool = await Spool.open({ folder: `${checkpointPath}.spool`, bytesMax: 1e9, problems });
  const tail = new DatabaseTail({
    ...{ database: 'X', glob: parseAuditGlob('*.sqlaudit', folder), sourceType: 'DirectFile', once, log },
    ...{ limits: { eventsMax, bytesMax: 1e6, ageMaxMs: 0 }, pollIntervalMs: 10, clock: systemClock },
    ...{ times: { ...QUICK, joinWaitMs: 60_000 }, problems, checkpoint, gaps, spool },
  });
  return { tail, checkpoint, gaps };
}

export const eventsOfBatch = ({ events }: Batch) => events.map(({ json }) => JSON.parse(json));
