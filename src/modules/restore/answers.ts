import type { Answer, Shape } from '../../event/shape';
import type { EpochState } from '../../store/log/epoch/epoch';
import type { LostErasure } from '../../store/log/evidence/erasure-files';

const LOST_ERASURE = {
  name: 'LostErasure',
  doc: 'An erasure that the restored database does not know, although it has the events.',
  fields: {
    erasureId: { kind: 'id' },
    tenantId: { kind: 'text' },
    at: { kind: 'time' },
    erasedBy: { kind: 'text' },
    reason: { kind: 'text' },
    events: { kind: 'count', doc: 'Events that it erased.' },
    present: { kind: 'count', doc: 'Those of them that are there again.' },
  },
} as const satisfies Shape;

export const LOG_EPOCH = {
  name: 'LogEpoch',
  doc: 'The life of the logs of this database between two restores, and what waits for an operator.',
  fields: {
    epoch: {
      kind: 'text',
      doc: '16 hexadecimal digits. Cursors, ids of messages and names of objects hold it.',
    },
    beganAt: { kind: 'time' },
    cause: {
      kind: 'text',
      doc: 'first, copy (a restored or moved database), set-back (a log is shorter than it was) or demand.',
    },
    reason: { kind: 'text' },
    hold: {
      kind: 'text',
      nullable: true,
      doc: 'Why destinations, mail, notices and retention wait. Null: they do not.',
    },
    drill: { kind: 'boolean', doc: 'Whether this instance has DRILL=1.' },
    lostErasures: {
      kind: 'object',
      isList: true,
      of: LOST_ERASURE,
      doc: 'Erasures that are to be made again, as the folder erasures in DATA_DIR of this instance says.',
    },
  },
} as const satisfies Shape;

export const toLogEpoch = (
  { epoch, beganAt, cause, reason, hold }: EpochState,
  drill: boolean,
  lost: readonly LostErasure[],
): Answer<typeof LOG_EPOCH> => ({
  ...{ epoch, beganAt: beganAt.toISOString(), cause, reason, hold, drill },
  lostErasures: lost.map(({ recordIds, entries: _, ...erasure }) => ({
    ...erasure,
    present: recordIds.length,
  })),
});
