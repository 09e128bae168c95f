import { idBytes } from '../../../src/event/record-id';
import { LIMITS } from '../../../src/limits';
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

describe('the entries of a log', () => {
  /** A log of so many tiles of which some are not there any more. */
  const logWithout = (count: number, isGone: (tile: number) => boolean) => {
    const all = Array.from({ length: count }, (_, tile) => ({
      ...{ level: 0, tile },
      ...{ recordIds: Buffer.alloc(256 * 16, tile), hashes: Buffer.alloc(256 * 32, tile) },
    })).filter(({ tile }) => !isGone(tile));
    const store = {
      states: async () => [{ tenantId: 7, size: count * 256 }],
      leafTiles: async (_: number, from: number, limit: number) =>
        all.filter(({ tile }) => tile >= from).slice(0, limit),
    } as unknown as EvidenceStore;
    return new EvidenceLog(store, '', () => null);
  };
  const TILES_MAX = LIMITS.evidenceEntriesMax / 256;

  it('go on behind a hole, however large it is, with the first entry that is there', async () => {
    for (const hole of [2 * TILES_MAX + 7, TILES_MAX + 1, TILES_MAX, 3]) {
      const log = logWithout(hole + 3 * TILES_MAX, (tile) => tile < hole);
      const { start, count, recordIds } = await log.entries(7, 5);
      expect([hole, start, count]).toEqual([hole, hole * 256, LIMITS.evidenceEntriesMax]);
      expect(recordIds[0]).toBe(hole % 256);
    }
  });

  it('end where none is there any more', async () => {
    for (const left of [0, 2]) {
      const log = logWithout(9, (tile) => tile >= left);
      expect(await log.entries(7, left * 256)).toMatchObject({ start: 9 * 256, count: 0 });
    }
  });
});
