import { putProgress } from '../../src/modules/detection/detector/progress';
import { ANY_ENGINE } from '../support/engines';
import { Store } from '../support/store';

const SEAL = { keyId: 'k', macOf: () => Buffer.from('mac') };

describe('how far rules have come', () => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
  });
  afterAll(() => store.close());

  it('is stored only by who knows all of it: how far they were, what they found and which rules they are', async () => {
    const { tenantId, database } = store;
    const { models } = database.owner;
    const from = { position: 10, learned: 7, learnUntil: 9, findings: 3, revision: 2 };
    const dueAt = new Date('2026-02-03T04:05:06.007Z');
    await models.detectionPosition.create({
      data: { tenantId, position: 10n, learned: 7n, learnUntil: 9n, findings: 3n, revision: 2, dueAt },
    });
    const row = () => models.detectionPosition.findFirstOrThrow({ where: { tenantId } });
    const to = { ...from, position: 20, findings: 4 };
    for (const name of ['position', 'learned', 'learnUntil', 'findings', 'revision'] as const)
      for (const by of [-1, 1]) {
        const other = { from: { ...from, [name]: from[name] + by }, to };
        expect([name, await putProgress(models, tenantId, other, SEAL)]).toEqual([name, false]);
      }
    expect(await putProgress(models, tenantId + 1, { from, to }, SEAL)).toBe(false);
    expect(await row()).toMatchObject({ position: 10n, findings: 3n, dueAt });

    expect(await putProgress(models, tenantId, { from, to }, SEAL)).toBe(true);
    expect(await row()).toMatchObject({ position: 20n, findings: 4n, learned: 7n, revision: 2, dueAt });
    expect(await putProgress(models, tenantId, { from: to, to, dueMs: null }, SEAL)).toBe(true);
    expect((await row()).dueAt).toBeNull();
  });
});
