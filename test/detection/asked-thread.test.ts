import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { AskedThread, answerWith, ThreadFailure } from '../../src/asked-thread';

/** A thread that answers what it is told to, is silent, or ends. */
const THREAD = `const { parentPort, threadId } = require('node:worker_threads');
parentPort.on('message', ({ id, method, values }) => {
  if (method === 'silent') for (;;);
  if (method === 'end') process.exit(3);
  parentPort.postMessage(method === 'fail' ? { id, error: values[0] } : { id, value: [threadId, ...values] });
});`;

describe('a thread that is asked', () => {
  let folder: string;
  let thread: AskedThread;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'asked-'));
    const file = path.join(folder, 'thread.cjs');
    writeFileSync(file, THREAD);
    thread = new AskedThread({ file, heapMb: 16, silenceMs: 500 });
  });
  afterEach(async () => {
    await thread.close();
    rmSync(folder, { recursive: true });
  });
  const ask = (method: string, ...values: unknown[]) => thread.ask<[number, ...unknown[]]>(method, values);

  it('answers each question, or says why it cannot', async () => {
    expect(thread.isRunning).toBe(false);
    const [one, refused, two] = await Promise.all([
      ask('say', 'a', 1),
      ask('fail', 'too large').catch((error: unknown) => error),
      ask('say', 'b'),
    ]);
    expect(one).toEqual([expect.any(Number), 'a', 1]);
    expect(two).toEqual([(one as unknown[])[0], 'b']);
    expect(refused).toEqual(new ThreadFailure('too large'));
    expect(thread.isRunning).toBe(true);
  });

  it.each(['silent', 'end'])(
    'fails what it was asked when it is %s, and another one answers',
    async (how) => {
      const [before] = await ask('say');
      const open = [ask(how), ask('say')].map((one) => one.catch((error: unknown) => error));
      for (const answer of await Promise.all(open)) expect(answer).toBeInstanceOf(ThreadFailure);
      const [after] = await ask('say');
      expect(after).not.toBe(before);
    },
  );
});

describe('the other side', () => {
  it('answers by the method of the name in the question', async () => {
    const { port1, port2 } = new MessageChannel();
    const target = {
      factor: 2,
      twice: async (n: number) => target.factor * n,
      fail: () => Promise.reject(new Error('no')),
    };
    answerWith(target, port1);
    const replies: unknown[] = [];
    const ended = new Promise<void>((done) => {
      port2.on('message', (reply) => {
        replies.push(reply);
        if (replies.length === 3) done();
      });
    });
    port2.postMessage({ id: 1, method: 'twice', values: [21] });
    port2.postMessage({ id: 2, method: 'fail', values: [] });
    port2.postMessage({ id: 3, method: 'unknown', values: [] });
    await ended;
    port1.close();
    expect(replies).toHaveLength(3);
    expect(replies).toEqual(
      expect.arrayContaining([
        { id: 1, value: 42 },
        { id: 2, error: 'no' },
        { id: 3, error: 'there is no unknown' },
      ]),
    );
  });
});
