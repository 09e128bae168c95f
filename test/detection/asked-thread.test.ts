import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { AskedThread, answerWith, ThreadFailure } from '../../src/asked-thread';

/** A thread that answers what it is told to, is silent, or ends. It says that it is ready after the time it is given. */
const THREAD = `const { parentPort, threadId, workerData } = require('node:worker_threads');
const end = performance.now() + workerData;
while (performance.now() < end);
parentPort.on('message', ({ id, method, values }) => {
  if (method === 'silent') for (;;);
  if (method === 'end') process.exit(3);
  parentPort.postMessage(method === 'fail' ? { id, error: values[0] } : { id, value: [threadId, ...values] });
});
parentPort.postMessage({ id: 0 });`;

describe('a thread that is asked', () => {
  let folder: string;
  let thread: AskedThread;
  const open = (startMs: number) => {
    const file = path.join(folder, 'thread.cjs');
    writeFileSync(file, THREAD);
    return new AskedThread({ file, heapMb: 16, silenceMs: 500, given: startMs });
  };
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'asked-'));
    thread = open(0);
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

  it('has its time to start before the time of the first question begins', async () => {
    await thread.close();
    thread = open(1_200);
    const [first] = await Promise.all([ask('say'), ask('say')]);
    await thread.ready();
    expect((await ask('say'))[0]).toBe(first[0]);
    expect(await ask('silent').catch((error: unknown) => error)).toBeInstanceOf(ThreadFailure);
  });

  it('fails whoever waits for a thread that ends before it is ready', async () => {
    await thread.close();
    thread = new AskedThread({ file: path.join(folder, 'none.cjs'), heapMb: 16, silenceMs: 500 });
    const waiting = [thread.ready(), ask('say')].map((one) => one.catch((error: unknown) => error));
    for (const answer of await Promise.all(waiting)) expect(answer).toBeInstanceOf(ThreadFailure);
  });
});

describe('the other side', () => {
  it('says that it is ready, and answers by the method of the name in the question', async () => {
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
        if (replies.length === 4) done();
      });
    });
    port2.postMessage({ id: 1, method: 'twice', values: [21] });
    port2.postMessage({ id: 2, method: 'fail', values: [] });
    port2.postMessage({ id: 3, method: 'unknown', values: [] });
    await ended;
    port1.close();
    expect(replies).toHaveLength(4);
    expect(replies[0]).toEqual({ id: 0 });
    expect(replies).toEqual(
      expect.arrayContaining([
        { id: 1, value: 42 },
        { id: 2, error: 'no' },
        { id: 3, error: 'there is no unknown' },
      ]),
    );
  });
});
