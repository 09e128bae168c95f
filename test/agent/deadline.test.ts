import { getEventListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { unlessAborted, withDeadline } from '../../agent/deadline';

setFlagsFromString('--expose-gc');
const collectMemory = runInNewContext('gc') as () => void;

it('a finished wait leaves no listener on a long-lived signal, even if memory was collected during the wait', async () => {
  const { signal } = new AbortController();
  const work = async () => {
    await delay(1);
    collectMemory();
    await delay(1);
    return 1;
  };
  const waited = [1, 2, 3].flatMap(() => [
    unlessAborted(work(), signal, () => 2),
    withDeadline(10_000, signal, work),
  ]);
  expect(await Promise.all(waited)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('a wait ends at once when its signal is aborted, or if it already was', async () => {
  const controller = new AbortController();
  const never = new Promise<number>(() => {});
  const waiting = unlessAborted(never, controller.signal, () => 2);
  controller.abort();
  expect(await waiting).toBe(2);
  expect(await unlessAborted(never, controller.signal, () => 3)).toBe(3);
});

it('a deadline begins to be over where its parent was aborted before', async () => {
  const controller = new AbortController();
  controller.abort(new Error('stopped'));
  const seen = await withDeadline(10_000, controller.signal, async (signal) => [
    signal.aborted,
    (signal.reason as Error).message,
  ]);
  expect(seen).toEqual([true, 'stopped']);
});
