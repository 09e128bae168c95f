import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { AnswerBytes } from '../../caller/rate-limit/holdings';
import type { WaitingPlaces } from '../../caller/rate-limit/waiting-places';
import type { OwnerDoor, ServiceDoor } from '../../database/clients';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import { GoneBeginnings } from '../../store/log/arrivals/gone-beginning';
import type { GoneSeal } from '../../store/log/arrivals/gone-seal';
import { NewArrivals } from '../../store/log/arrivals/new-arrivals';
import { PostgresArrivalReader } from '../../store/log/arrivals/stored-arrivals';
import type { LogEpoch } from '../../store/log/epoch/log-epoch';
import type { CheckpointKey } from '../../store/log/evidence/note-key';
import { CursorSeal } from './cursor';
import { LiveStreams } from './live-streams';
import { type ListSources, Tail } from './tail';

/** What a build without epochs sealed its cursors with. It goes with 0.3.0, as `NO_EPOCH` does. */
const FORMER_CURSOR_KEY = 'audit-activity tail cursor';

/** The parts that answer calls of the tail. */
export interface TailParts {
  readonly tail: Pick<Tail, 'read'>;
  readonly answers: AnswerBytes;
  readonly streams: Pick<LiveStreams, 'begin'>;
}

/** Events in the order of arrival, for readers who pull them. The tail is no root field. */
export function openTail(parts: {
  readonly service: ServiceDoor;
  readonly owner: OwnerDoor;
  readonly checkpointKeys: readonly CheckpointKey[];
  readonly epoch: LogEpoch;
  readonly fairShare: FairShare;
  readonly answers: AnswerBytes;
  readonly waitingPlaces: WaitingPlaces;
  readonly listSources: ListSources;
  readonly goneSeal: GoneSeal;
  readonly nowMs: () => number;
}): Module & TailParts {
  const {
    service,
    owner,
    checkpointKeys,
    epoch,
    fairShare,
    answers,
    waitingPlaces,
    listSources,
    goneSeal,
    nowMs,
  } = parts;
  const formerKeys = checkpointKeys.map((key) => key.derive(FORMER_CURSOR_KEY));
  const seal = new CursorSeal({ epoch, formerKeys, nowMs });
  const background = new PostgresArrivalReader(owner, nowMs, goneSeal);
  const reader = new PostgresArrivalReader(service, nowMs, goneSeal);
  const news = new NewArrivals(reader);
  const gone = new GoneBeginnings(owner, background, goneSeal);
  const tail = new Tail({ reader, news, seal, epoch, fairShare, waitingPlaces, listSources });
  const streams = new LiveStreams();
  return {
    tail,
    answers,
    streams,
    tasks: [
      {
        name: 'log-beginnings',
        doc: 'looking for the first events of logs',
        everyMs: LIMITS.goneBeginningMs,
        run: () => gone.run(),
      },
    ],
    metrics: (metrics) => {
      metrics.gauge(
        'tail_calls_waiting',
        'Calls of the tail that wait for new events.',
        () => waitingPlaces.waiting,
      );
      metrics.gauge('live_streams', 'Pages of the dashboard that show events live.', () => streams.count);
    },
  };
}
