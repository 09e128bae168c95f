import { idBytes } from '../../../src/event/record-id';
import type { EvidenceStore } from '../../../src/modules/evidence/evidence.store';
import { EvidenceLog } from '../../../src/modules/evidence/evidence-log';
import { GrowingTree } from '../../../src/store/log/evidence/tiles';
import { anEventInFull, logOf } from './log-copies';

describe('the proof of an event', () => {
  it('is given as far as the newest checkpoint signs, and not for the first entry behind it', async () => {
    const events = [anEventInFull(1), anEventInFull(2), anEventInFull(3)];
    const { checkpoints, leafHashes } = logOf(events, [2]);
    const tree = new GrowingTree(0, []);
    events.forEach(({ recordId }, i) => {
      tree.append(idBytes(recordId), leafHashes.subarray(i * 32, (i + 1) * 32));
    });
    const tiles = tree.changed();
    const store = {
      states: async () => [{ tenantId: 7, checkpoint: checkpoints[0] ?? null }],
      tilesAround: async () => tiles,
      tiles: async () => tiles,
    } as unknown as EvidenceStore;
    const log = new EvidenceLog(store, '', () => null);
    const found = await Promise.all(events.map(({ recordId }) => log.proof(7, recordId)));
    expect(found.map((proof) => proof?.index ?? null)).toEqual([0, 1, null]);
    expect(found[0]?.checkpoint).toBe(checkpoints[0]);

    // Without a checkpoint that can be read, and without a log, nothing is signed.
    for (const states of [[{ tenantId: 7, checkpoint: null }], [{ tenantId: 7, checkpoint: 'x' }], []]) {
      const unsigned = new EvidenceLog({ ...store, states: async () => states } as never, '', () => null);
      expect(await unsigned.proof(7, events[0]?.recordId ?? '')).toBeNull();
    }
  });

  it('of a record that was removed and sent again is that of its last entry which is signed', async () => {
    const events = [1, 2, 1, 3, 1].map((n) => anEventInFull(n));
    const { checkpoints, leafHashes } = logOf(events, [4]);
    const tree = new GrowingTree(0, []);
    events.forEach(({ recordId }, i) => {
      tree.append(idBytes(recordId), leafHashes.subarray(i * 32, (i + 1) * 32));
    });
    const tiles = tree.changed();
    const store = {
      states: async () => [{ tenantId: 7, checkpoint: checkpoints[0] ?? null }],
      tilesAround: async () => tiles,
      tiles: async () => tiles,
    } as unknown as EvidenceStore;
    const found = await new EvidenceLog(store, '', () => null).proof(7, events[0]?.recordId ?? '');
    expect(found?.index).toBe(2);
  });
});
