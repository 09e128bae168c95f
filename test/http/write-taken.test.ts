import { PassThrough } from 'node:stream';
import { writeTaken } from '../../src/http/write-pieces';

const late = () => new Error('too slow');
const reader = (bytes: number) => new PassThrough({ highWaterMark: bytes }) as never as PassThrough;
const write = (to: PassThrough, ms: number) => writeTaken(to as never, 'x'.repeat(100), ms, late);
const listeners = (to: PassThrough) => ['drain', 'close'].map((event) => to.listenerCount(event));

describe('a part of an answer', () => {
  it('waits for nobody while there is room, or when the reader is gone', async () => {
    const roomy = reader(1_000);
    await write(roomy, 1);
    const gone = reader(10).destroy();
    await new Promise((resolve) => gone.once('close', resolve));
    await write(gone, 1);
  });

  it('waits until its reader takes it, or leaves', async () => {
    for (const leave of [(to: PassThrough) => void to.resume(), (to: PassThrough) => void to.destroy()]) {
      const slow = reader(10);
      const before = listeners(slow);
      const written = write(slow, 60_000);
      leave(slow);
      await written;
      expect(listeners(slow)).toEqual(before);
    }
  });

  it('cuts off a reader that does not take it in time', async () => {
    const slow = reader(10);
    await expect(write(slow, 15)).rejects.toThrow('too slow');
    expect([slow.destroyed, listeners(slow)[0]]).toEqual([true, 0]);
  });
});
