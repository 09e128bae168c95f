import type { AccessEntry } from '../../../src/caller/access-log';
import type { MakeRequest } from '../../../src/modules/reports/maker';
import { definitionOf } from '../../../src/modules/reports/schedules/parameters';
import { ScheduleRunner, type ScheduleTrouble } from '../../../src/modules/reports/schedules/runner';
import type { Definition, Schedule } from '../../../src/modules/reports/schedules/schedule';
import { ScheduleStore } from '../../../src/modules/reports/schedules/schedule.store';
import { createLog } from '../../../src/observe/log';
import { AN_ATTEMPT } from '../../support/attempt';
import type { EngineName } from '../../support/engines';
import { Store } from '../../support/store';

export const DAILY = definitionOf(
  {
    reportId: 'log-ons',
    name: 'Daily',
    every: 'daily',
    timeZone: 'Europe/Berlin',
    emails: ['a@example.com'],
  } as never,
  null,
);
export const MINUTE = 60_000;
export const at = (text: string) => Date.parse(text);

async function stageOf(store: Store, definition: Definition, now: string) {
  const { tenantId } = await store.forNewTenant();
  const { service, owner } = store.database;
  await store.query('DELETE FROM report_schedule');
  const clock = { ms: at(now), databaseAheadMs: 0 };
  const schedules = new ScheduleStore(
    service,
    owner,
    () => clock.ms,
    async () => new Date(clock.ms + clock.databaseAheadMs),
  );
  const done = new Map<string, MakeRequest>();
  const over = new Set<string>();
  const sent: string[] = [];
  const receivers: (readonly string[])[] = [];
  const noted: AccessEntry[] = [];
  const givenUp: string[] = [];
  const told: ScheduleTrouble[] = [];
  const lines: string[] = [];
  const stopping = new AbortController();
  const held = new Map<number, Promise<void>>();
  const faults: {
    make?: Error;
    /** The run is there, and the answer about its end is lost. */
    unanswered?: Error;
    unsendable?: Error;
    tell?: Error;
    send?: string;
    crash?: boolean;
    stop?: boolean;
    refused?: string;
  } = {};
  const canSign = { now: true };
  let attempts = 0;
  /** What an operator does while a run is made, or sent. */
  const meanwhile: { act?: () => Promise<unknown>; send?: () => Promise<unknown> } = {};
  const instance = (restMs?: number) =>
    new ScheduleRunner(
      {
        schedules,
        runs: {
          find: async (_, runId) =>
            done.has(runId) ? ({ state: over.has(runId) ? 'over' : 'done' } as never) : null,
          giveUp: async (_, runId) => void givenUp.push(runId),
        },
        maker: {
          make: async (request) => {
            await new Promise(setImmediate);
            if (faults.stop) stopping.abort();
            await request.assertAllowed(1);
            await held.get([...request.tenants][0] ?? 0);
            await meanwhile.act?.();
            if (faults.make) throw faults.make;
            const runId = request.run?.runId ?? '';
            done.set(runId, request);
            if (faults.unanswered) throw faults.unanswered;
            return runId;
          },
        },
        delivery: {
          send: async ({ definition: { emails } }, { runId, told }) => {
            // What becomes of it is not stored.
            if (faults.crash) {
              await store.query('UPDATE report_schedule SET holder = NULL');
              throw new Error('the process ended');
            }
            if (faults.unsendable) throw faults.unsendable;
            await meanwhile.send?.();
            attempts++;
            if (faults.refused !== undefined)
              return { told, failure: faults.refused, isOfInstance: true, note: null };
            if (faults.send !== undefined) return { told, failure: faults.send, note: null };
            sent.push(runId);
            receivers.push(emails);
            return { told: ['a@example.com'], failure: null, note: null };
          },
        },
        note: (entry) => noted.push(entry),
        tell: async (trouble) => {
          if (faults.tell) throw faults.tell;
          told.push(trouble);
        },
        canSign: () => canSign.now,
        nowMs: () => clock.ms,
        signal: stopping.signal,
        log: createLog('warn', { write: (line: string) => void lines.push(line) }),
      },
      undefined,
      restMs,
    );
  const { scheduleId } = await schedules.create(tenantId, definition, 'ops', AN_ATTEMPT);
  const look = async () =>
    (await schedules.list(tenantId)).find((one) => one.scheduleId === scheduleId) as Schedule;
  const periods = () =>
    [...done.values()].map(({ values }) => [
      String(values.startTime).slice(0, 16),
      String(values.endTime).slice(0, 16),
    ]);
  return {
    tenantId,
    scheduleId,
    clock,
    schedules,
    instance,
    done,
    over,
    sent,
    receivers,
    attempts: () => attempts,
    noted,
    givenUp,
    told,
    lines,
    held,
    faults,
    canSign,
    meanwhile,
    look,
    periods,
  };
}

/** Opens a database for the tests of a `describe`. */
export function useStage(engine: EngineName) {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(engine);
  });
  afterAll(() => store.close());
  return {
    get store() {
      return store;
    },
    stage: (definition: Definition, now: string) => stageOf(store, definition, now),
  };
}
