import { pino } from 'pino';
import { DomainError, serviceUnavailable } from '../../src/errors';
import { ReplicaFirstReader } from '../../src/modules/activity/replica-first.reader';
import type { AuditEventReader } from '../../src/store/rows/audit-event-reader';
import { tenantSet } from '../../src/tenant-set';
import { NO_FILTER } from '../support/filters';

const SCOPE = tenantSet([1]);
const RANGE = NO_FILTER;
const failure = (code: string) => Object.assign(new Error(code), { code });

/** A reader that answers with its name, or fails. */
function aReader(name: string) {
  const reader = { failure: null as unknown, asked: 0, found: true };
  const answer = async () => {
    reader.asked++;
    if (reader.failure) throw reader.failure;
    return name as never;
  };
  const port: AuditEventReader = {
    page: answer,
    summary: answer,
    find: async () => ((await answer()) && reader.found ? (name as never) : null),
  };
  return { reader, port };
}

function aPair(ready = true) {
  const [replica, primary] = [aReader('replica'), aReader('primary')];
  const clock = { ms: 1_000_000 };
  const check = { answer: Promise.resolve(true) as Promise<boolean>, asked: 0 };
  const reader = new ReplicaFirstReader({
    replica: replica.port,
    primary: primary.port,
    ready,
    now: () => clock.ms,
    check: () => {
      check.asked++;
      return check.answer;
    },
    log: pino({ level: 'silent' }),
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { reader, replica: replica.reader, primary: primary.reader, clock, check, settled };
}

describe('reading from a replica', () => {
  it('asks the replica, and the primary only for a record that the replica does not know', async () => {
    const { reader, replica, primary } = aPair();
    expect(await reader.summary(SCOPE, RANGE)).toBe('replica');
    expect(await reader.find(SCOPE, 'x')).toBe('replica');
    expect(primary.asked).toBe(0);
    replica.found = false;
    expect(await reader.find(SCOPE, 'x')).toBe('primary');
    primary.found = false;
    expect(await reader.find(SCOPE, 'x')).toBeNull();
  });

  it.each([
    ['the connection fails', serviceUnavailable(failure('ECONNREFUSED'))],
    ['it shuts down', serviceUnavailable(failure('57P01'))],
    ['it starts up', serviceUnavailable(failure('57P03'))],
    ['a migration has not reached it', failure('42P01')],
  ])('changes to the primary when %s, and back when the replica works again', async (_, error) => {
    const { reader, replica, clock, check, settled } = aPair();
    replica.failure = error;
    expect(await reader.summary(SCOPE, RANGE)).toBe('primary');
    expect(reader.healthy).toBe(false);
    replica.failure = null;
    expect(await reader.summary(SCOPE, RANGE)).toBe('primary');
    expect([check.asked, replica.asked]).toEqual([0, 1]);

    clock.ms += 5_000;
    expect(await reader.summary(SCOPE, RANGE)).toBe('primary');
    await settled();
    expect([check.asked, reader.healthy]).toEqual([1, true]);
    expect(await reader.summary(SCOPE, RANGE)).toBe('replica');
  });

  it('is healthy again soon after the replica works again, although nobody reads', async () => {
    const { reader, replica, clock, check, settled } = aPair();
    replica.failure = serviceUnavailable(failure('57P01'));
    await reader.summary(SCOPE, RANGE);
    clock.ms += 4_999;
    expect([reader.healthy, check.asked]).toEqual([false, 0]);
    clock.ms += 1;
    expect(reader.healthy).toBe(false);
    await settled();
    expect([reader.healthy, check.asked]).toEqual([true, 1]);
  });

  it('changes to the primary when the replica answers and follows it no more', async () => {
    const { reader, clock, check, settled } = aPair();
    check.answer = Promise.resolve(false);
    expect(await reader.summary(SCOPE, RANGE)).toBe('replica');
    clock.ms += 5_000;
    await reader.summary(SCOPE, RANGE);
    await settled();
    expect([reader.healthy, await reader.summary(SCOPE, RANGE)]).toEqual([false, 'primary']);
  });

  it('does not wait for a lost replica, and makes one check of it at a time', async () => {
    const { reader, clock, check, settled } = aPair(false);
    check.answer = new Promise(() => {});
    for (let i = 0; i < 5; i++) expect(await reader.summary(SCOPE, RANGE)).toBe('primary');
    clock.ms += 60_000;
    expect(await reader.summary(SCOPE, RANGE)).toBe('primary');
    await settled();
    expect(check.asked).toBe(1);
  });

  it('stays with the primary while the replica cannot be reached or is not ready', async () => {
    const { reader, clock, check, settled } = aPair(false);
    for (const answer of [Promise.reject(new Error('no')), Promise.resolve(false)]) {
      check.answer = answer;
      expect(await reader.summary(SCOPE, RANGE)).toBe('primary');
      await settled();
      expect(reader.healthy).toBe(false);
      clock.ms += 5_000;
    }
  });

  it("passes on errors that are not the replica's fault: a statement over its time, or a defect of the service", async () => {
    const { reader, replica, primary } = aPair();
    for (const error of [
      new DomainError('service_unavailable', { public: 'Narrow it.', cause: failure('57014') }),
      failure('22P02'),
      new TypeError('x'),
    ]) {
      replica.failure = error;
      await expect(reader.summary(SCOPE, RANGE)).rejects.toBe(error);
    }
    expect([primary.asked, reader.healthy]).toEqual([0, true]);
  });

  it('asks the primary when the replica cancels a query to continue its replay, and keeps the replica', async () => {
    const { reader, replica } = aPair();
    replica.failure = serviceUnavailable(failure('40001'));
    expect(await reader.summary(SCOPE, RANGE)).toBe('primary');
    expect(reader.healthy).toBe(true);
  });

  it('does not ask the primary when the caller has already waited too long', async () => {
    const { reader, replica, primary, clock } = aPair();
    const error = serviceUnavailable(new Error('no answer'));
    Object.defineProperty(replica, 'failure', {
      get: () => {
        clock.ms += 4_500;
        return error;
      },
    });
    await expect(reader.summary(SCOPE, RANGE)).rejects.toBe(error);
    expect([primary.asked, reader.healthy]).toEqual([0, false]);
  });
});
