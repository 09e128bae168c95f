import { randomBytes, randomUUID } from 'node:crypto';
import { LIMITS } from '../../src/limits';
import { zipped } from '../../src/modules/reports/piece-bytes';
import { Reports } from '../../src/modules/reports/reports';
import { RunStore } from '../../src/modules/reports/run.store';
import { CheckpointKey, newCheckpointKeyPem } from '../../src/store/log/evidence/note-key';
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
  /** As if the time were over that a run has still. */
  const passed = ({ runId }: { runId: string }) =>
    store.database.owner.models.reportRun.updateMany({
      where: { runId },
      data: { expiresAt: new Date(Date.now() - 1_000) },
    });
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

  it('are listed by report, of each the newest, and the newest first', async () => {
    const { tenantId } = await store.forNewTenant();
    const made: string[] = [];
    for (const [i, reportId] of ['log-ons', 'failed', 'log-ons', 'log-ons'].entries()) {
      const run = await runs.begin(tenantId, reportId, 'ada');
      await runs.finish(run, 7, sign);
      made.push(run.runId);
      const createdAt = new Date(Date.now() - (10 - i) * 60_000);
      await store.database.owner.models.reportRun.updateMany({
        where: { runId: run.runId },
        data: { createdAt },
      });
    }
    const listed = await runs.newest(oneTenant(tenantId), 2);
    expect(listed.map(({ runId }) => made.indexOf(runId))).toEqual([3, 2, 1]);
  });

  it('that were given up are ended by nobody, and are to be made again', async () => {
    const { tenantId, run, state } = await begun();
    await runs.giveUp(tenantId, run.runId);
    await expect(runs.finish(run, 7, sign)).rejects.toMatchObject({
      ...{ code: 'service_unavailable', retryAfterSeconds: 1 },
      message: expect.stringContaining('Make it again'),
    });
    expect([await state(), await runs.find(oneTenant(tenantId), run.runId)]).toEqual(['given-up', null]);
  });

  it('that are done are given up by nobody: they are there for good', async () => {
    const { tenantId, run, state } = await begun();
    await runs.finish(run, 7, sign);
    await runs.giveUp(tenantId, run.runId);
    expect([await state(), (await runs.find(oneTenant(tenantId), run.runId))?.state]).toEqual([
      'done',
      'done',
    ]);
  });

  it('lose their files when their time is over, or when nobody makes them any more', async () => {
    const [over, lost, made, kept] = [await begun(1), await begun(), await begun(), await begun()];
    for (const { run } of [over, lost, made, kept]) await runs.put(run, 'csv', 0, Buffer.from('a'));
    for (const { run } of [over, kept]) await runs.finish(run, 7, sign);
    const { models } = store.database.owner;
    await passed(over.run);
    const longAgo = new Date(Date.now() - 2 * LIMITS.reportMs - 60_000);
    await models.reportRun.updateMany({ where: { runId: lost.run.runId }, data: { createdAt: longAgo } });
    while ((await runs.clear()) > 0);
    expect([await over.state(), await lost.state()]).toEqual(['over', 'ending']);
    await passed(lost.run);
    while ((await runs.clear()) > 0);
    const states = await Promise.all([over, lost, made, kept].map(({ state }) => state()));
    expect(states).toEqual(['over', 'over', 'making', 'done']);
    const pieces = await Promise.all(
      [over, lost, made, kept].map(({ tenantId }) => models.reportPiece.count({ where: { tenantId } })),
    );
    expect(pieces).toEqual([0, 0, 1, 1]);
    // A run that is over is still shown, without files.
    const reports = new Reports(runs, [CheckpointKey.ofPem(newCheckpointKeyPem()).verifierKey]);
    const filesOf = async ({ tenantId, run }: typeof over) =>
      (await reports.run(oneTenant(tenantId), run.runId))?.files.length;
    expect([await filesOf(over), await filesOf(kept)]).toEqual([0, 1]);
    const asked = reports.file(oneTenant(over.tenantId), over.run.runId, 'csv');
    await expect(asked).rejects.toMatchObject({ message: 'The files of this run were removed.' });
  });

  it('lose a piece too that was on its way when they were given up', async () => {
    const given = await Promise.all([begun(), begun()]);
    const [dropped, lost] = given;
    const { models } = store.database.owner;
    const stored = async () => {
      const counts = given.map(({ run: { runId } }) => models.reportPiece.count({ where: { runId } }));
      return Promise.all(counts);
    };
    await runs.giveUp(dropped.tenantId, dropped.run.runId);
    await runs.abandon(lost.run);
    while ((await runs.clear()) > 0);
    // Their statements began before, and end now.
    for (const { run, tenantId } of given)
      await models.reportPiece.create({
        data: { tenantId, runId: run.runId, format: 'csv', piece: 1, bytes: new Uint8Array(1) },
      });
    while ((await runs.clear()) > 0);
    expect(await stored()).toEqual([1, 1]);
    for (const { run } of given) {
      await passed(run);
      await runs.put(run, 'csv', 2, Buffer.from('a'));
    }
    while ((await runs.clear()) > 0);
    expect([await stored(), await dropped.state(), await lost.state()]).toEqual([[0, 0], 'over', 'over']);
  });
});
