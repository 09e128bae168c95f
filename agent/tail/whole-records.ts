import type { Batcher } from '../batcher';
import type { Clock } from '../clock';
import { filetimeTextAt } from '../sqlaudit/filetime';
import { isBefore } from '../sqlaudit/position';
import { type EventBlock, positionBehind } from '../sqlaudit/reader';
import { recordWriterOf } from '../sqlaudit/record-writer';
import type { FollowedFile } from './followed-file';

export interface Writing {
  readonly batcher: Batcher;
  readonly clock: Clock;
  readonly sourceType: string;
}

/**
 * Writes the events of a block from `first` on into the batch, as long as each is a whole record and the batch is not
 * full, and advances the file behind them. Most records are whole, and this way makes no objects of them.
 * @returns how many it wrote
 */
export function writeWholeRecords(
  file: FollowedFile,
  block: EventBlock,
  first: number,
  { batcher, clock, sourceType }: Writing,
): number {
  const { fileGuid, blockOffset, firstIndex, events } = block;
  if (isBefore({ blockOffset, index: firstIndex + first }, file.acknowledged)) return 0;
  const head = Buffer.from(
    `{"file":${JSON.stringify(file.name)},"fileGuid":${JSON.stringify(fileGuid)},"blockOffset":${blockOffset},"index":`,
  );
  const tail = Buffer.from(`,"sourceType":${JSON.stringify(sourceType)}}`);
  const nowMs = clock.elapsed();
  const newest = { high: -1, low: 0, at: 0 };
  let lastTimeAt = 0;
  let at = first;
  for (; at < events.length && !batcher.isFull; at++) {
    const event = events[at];
    if (!event) break;
    const writer = recordWriterOf(event.type);
    if (!writer?.isWhole(event)) break;
    const out = batcher.begin(nowMs);
    out.raw(head);
    out.value(firstIndex + at);
    writer.write(out, event);
    out.raw(tail);
    batcher.end();
    lastTimeAt = writer.timeAt(event);
    const { view } = event.block;
    const high = view.getUint32(lastTimeAt + 4, true);
    const low = view.getUint32(lastTimeAt, true);
    if (high > newest.high || (high === newest.high && low > newest.low)) {
      newest.high = high;
      newest.low = low;
      newest.at = lastTimeAt;
    }
  }
  const view = events[first]?.block.view;
  if (at === first || !view) return 0;
  batcher.saw(filetimeTextAt(view, newest.at) ?? '');
  file.advance(positionBehind(block, at - 1), filetimeTextAt(view, lastTimeAt));
  return at - first;
}
