import { randomBytes, randomUUID } from 'node:crypto';
import { LIMITS } from '../../src/limits';
import { zipped } from '../../src/modules/reports/piece-bytes';
import { Reports } from '../../src/modules/reports/reports';
import { RunStore } from '../../src/modules/reports/run.store';
import { oneTenant } from '../../src/tenant-set';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';

describe('stored runs of reports', () => {
  let store: Store;
  let runs: RunStore;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
    runs = new RunStore(store.database.service, store.database.owner);
  });
  afterAll(() => store.close());
  const begun = async (days?: number) => {
    const { tenantId } = await store.forNewTenant();
    const run = await runs.begin(tenantId, 'log-ons', 'ada', { runId: randomUUID(), ...(days && { days }) });
    const state = async () =>
      (
        await store.database.owner.models.reportRun.findFirstOrThrow({
          where: { tenantId, runId: run.runId },
        })
      ).state;
    return { tenantId, run, state };
  };
  const log = { size: 1 };
  const question = { startTime: 'a', endTime: 'b', timeZone: 'UTC' };
  const sign = (number: number) => ({
    manifest: JSON.stringify({ number, log, question, reportId: 'log-ons', files: [{ format: 'csv' }] }),
    note: 'n',
  });

  it('have every byte of a file once, however many pieces it has', async () => {
    const { tenantId, run } = await begun();
    const pieces = Array.from({ length: 10 }, (_, i) => randomBytes(10 + i));
    for (const [i, piece] of pieces.entries()) await runs.put(run, 'csv', i, await zipped(piece));
    const whole = Buffer.concat(pieces);
    await runs.finish(run, 7, sign);
    const parts: Buffer[] = [];
    for await (const part of runs.file({ ...run, tenantId }, 'csv', whole.length)) parts.push(part);
    expect(Buffer.concat(parts).equals(whole)).toBe(true);
  });

  it('that were given up are ended by nobody', async () => {
    const { tenantId, run, state } = await begun();
    await runs.giveUp(tenantId, run.runId);
    await expect(runs.finish(run, 7, sign)).rejects.toThrow();
    expect([await state(), await runs.find(oneTenant(tenantId), run.runId)]).toEqual(['given-up', null]);
  });

  it('lose their files when their time is over, or when nobody makes them any more', async () => {
    const [over, lost, made, kept] = [await begun(1), await begun(), await begun(), await begun()];
    for (const { run } of [over, lost, made, kept]) await runs.put(run, 'csv', 0, Buffer.from('a'));
    for (const { run } of [over, kept]) await runs.finish(run, 7, sign);
    const { models } = store.database.owner;
    const past = new Date(Date.now() - 1_000);
    await models.reportRun.updateMany({ where: { runId: over.run.runId }, data: { expiresAt: past } });
    const longAgo = new Date(Date.now() - 2 * LIMITS.reportMs - 60_000);
    await models.reportRun.updateMany({ where: { runId: lost.run.runId }, data: { createdAt: longAgo } });
    while ((await runs.clear()) > 0);
    const states = await Promise.all([over, lost, made, kept].map(({ state }) => state()));
    expect(states).toEqual(['over', 'over', 'making', 'done']);
    const pieces = await Promise.all(
      [over, lost, made, kept].map(({ tenantId }) => models.reportPiece.count({ where: { tenantId } })),
    );
    expect(pieces).toEqual([0, 0, 1, 1]);
    // A run that is over is still shown, without files.
    const reports = new Reports(runs, 'key');
    const filesOf = async ({ tenantId, run }: typeof over) =>
      (await reports.run(oneTenant(tenantId), run.runId))?.files.length;
    expect([await filesOf(over), await filesOf(kept)]).toEqual([0, 1]);
    const asked = reports.file(oneTenant(over.tenantId), over.run.runId, 'csv');
    await expect(asked).rejects.toMatchObject({ message: 'The files of this run were removed.' });
  });
});
