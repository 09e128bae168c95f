import { LineLog } from '../../agent/log';
import { NO_EVENTS } from '../../agent/queued-events';
import type { ServiceProblem } from '../../agent/status/database-activity';
import { AGENT_TIMES } from '../../agent/times';
import type { Answer } from '../../agent/uplink/answer';
import { PatientSender } from '../../agent/uplink/patient-sender';
import { jsonsOf, queued } from './support/queued';

const TIMES = {
  ...AGENT_TIMES,
  retryFirstMs: 70,
  retryMaxMs: 300,
  refusedRetryMs: 11_000,
  onceBudgetMs: 5_000,
  repeatMs: 25_000,
};
const EVENTS = queued('{"a":1}', '{"b":2}');
const RECEIPT: Answer = { kind: 'receipt', accepted: 2, duplicates: 0, rejected: [] };
const UNFIT: Answer = { kind: 'unfit', code: 'invalid_parameter', message: 'wrong' };
const UNKNOWN: Answer = { kind: 'unknown', code: 'unknown', message: 'who knows' };
const REFUSED: Answer = { kind: 'refused', message: 'unauthorized' };
const busy = (retryAfterMs: number | null = null, message = 'overloaded'): Answer => ({
  kind: 'busy',
  message,
  retryAfterMs,
});

describe('a sender that is patient', () => {
  let waits: number[];
  let sent: number[];
  let problems: (ServiceProblem['kind'] | null)[];
  let log: string[];
  let stop: AbortController;
  beforeEach(() => {
    [waits, sent, problems, log] = [[], [], [], []];
    stop = new AbortController();
    jest.spyOn(Math, 'random').mockReturnValue(1);
  });
  afterEach(() => jest.restoreAllMocks());
  /** Sends two events; the answers come one after the other, and `stop` ends a wait. */
  const send = (answers: readonly (Answer | 'stop')[], once = false) => {
    const left = [...answers];
    let nowMs = 0;
    const sender = new PatientSender({
      database: 'db',
      once,
      times: TIMES,
      clock: {
        now: () => nowMs,
        elapsed: () => nowMs,
        wait: async (ms) => {
          waits.push(ms);
          nowMs += ms;
          if (left[0] === 'stop') stop.abort();
        },
      },
      log: new LineLog((line) => void log.push(line.split(' ').slice(1).join(' ').trim())),
      send: async (events) => {
        sent.push(events.length);
        expect(events === EVENTS || jsonsOf(events).length === NO_EVENTS.length).toBe(true);
        const next = left.shift();
        if (next === undefined || next === 'stop') throw new Error('sent once more');
        return next;
      },
      onProblem: (problem) => void problems.push(problem?.kind ?? null),
    });
    return sender.send(EVENTS, stop.signal);
  };

  it('hands over an answer that is final at once', async () => {
    expect([await send([RECEIPT]), await send([UNFIT])]).toEqual([RECEIPT, UNFIT]);
    expect([sent, waits, log, problems]).toEqual([[2, 2], [], [], [null, null]]);
  });

  it('pauses longer and longer while the service is busy, up to a bound, and says so once', async () => {
    expect(await send([busy(), busy(), busy(), busy(), busy(null, 'other'), RECEIPT])).toEqual(RECEIPT);
    expect(waits).toEqual([70, 140, 280, 300, 300]);
    expect(problems).toEqual([...Array(5).fill('waiting'), null]);
    expect(log).toEqual([
      'warn  db: nothing is published for now, trying again: overloaded',
      'warn  db: nothing is published for now, trying again: other',
      'info  db: the service takes events again',
    ]);
  });

  it('waits as long as the service asks beside its own pause, of which it takes a share at random', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    await send([busy(900), busy(0), RECEIPT]);
    expect(waits).toEqual([900, 35, 0, 70]);
  });

  it('asks without events while its key is refused, and sends them as soon as it is not', async () => {
    expect(await send([REFUSED, REFUSED, REFUSED, REFUSED, RECEIPT, RECEIPT])).toEqual(RECEIPT);
    expect(sent).toEqual([2, 0, 0, 0, 0, 2]);
    expect(waits).toEqual([11_000, 11_000, 11_000, 11_000]);
    expect(problems).toEqual([...Array(4).fill('keyRefused'), null, null]);
    // Once more after 25 s.
    expect(log.filter((line) => line.includes('refuses the agent key'))).toHaveLength(2);
    expect(log.at(-1)).toContain('takes events again');
  });

  it('calls events unfit that are refused for an unknown reason where a request without events is not', async () => {
    expect(await send([UNKNOWN, { ...RECEIPT, accepted: 0 }])).toEqual({ ...UNKNOWN, kind: 'unfit' });
    expect([sent, waits, problems]).toEqual([[2, 0], [], [null]]);
  });

  it('keeps its events where everything is refused for an unknown reason', async () => {
    expect(await send([UNKNOWN, UNKNOWN, busy(), RECEIPT, RECEIPT])).toEqual(RECEIPT);
    expect([sent, waits]).toEqual([
      [2, 0, 0, 0, 2],
      [11_000, 70],
    ]);
    expect(log[0]).toBe('warn  db: the service refuses everything, nothing is published: who knows');
  });

  it.each<[string, Answer[], number, number[], string]>([
    ['five attempts', Array(5).fill(busy()), 5, [70, 140, 280, 300], 'overloaded'],
    ['a wait that is longer than it has', [busy(5_001)], 1, [], 'overloaded'],
    ['a refused key', [REFUSED], 1, [], 'unauthorized'],
    ['a refusal of everything', [UNKNOWN, UNKNOWN], 2, [], 'who knows'],
  ])('gives up in a single run after %s', async (_, answers, count, paused, message) => {
    expect(await send(answers, true)).toEqual({ kind: 'gaveUp', message });
    expect([sent.length, waits]).toEqual([count, paused]);
  });

  it('waits in a single run for as long as it has', async () => {
    expect(await send([busy(5_000), RECEIPT], true)).toEqual(RECEIPT);
    expect(waits).toEqual([5_000, 70]);
  });

  it('ends with the agent, and says what kept it', async () => {
    expect(await send([busy(), 'stop'])).toEqual({ kind: 'gaveUp', message: 'overloaded' });
    expect(await send([RECEIPT])).toEqual({ kind: 'gaveUp', message: 'the agent was stopped' });
    expect(sent).toEqual([2]);
  });
});
