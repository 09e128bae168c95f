import type { Answer, Shape } from '../../event/shape';
import type { EpochState } from '../../store/log/epoch/epoch';

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
  },
} as const satisfies Shape;

export const toLogEpoch = (
  { epoch, beganAt, cause, reason, hold }: EpochState,
  drill: boolean,
): Answer<typeof LOG_EPOCH> => ({ epoch, beganAt: beganAt.toISOString(), cause, reason, hold, drill });
