import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ProcessWorker } from '../../src/store/archive/open-worker';

/** The start of a process takes longer. */
const SILENCE_MS = 1;
const ANSWERING = 'process.on("message", ({ id }) => process.send({ id, value: 7 }));';

describe('the process of files', () => {
  let folder: string;
  let program: string;
  const workers: ProcessWorker[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'worker-'));
    program = path.join(folder, 'answering.js');
    await writeFile(program, ANSWERING);
  });
  afterAll(async () => {
    for (const worker of workers) await worker.close();
    await rm(folder, { recursive: true });
  });

  function started(): ProcessWorker {
    const worker = new ProcessWorker({ memoryMb: 96, threads: 1, folder }, SILENCE_MS, program);
    workers.push(worker);
    return worker;
  }

  it('has more time for the file of a week than for a question', async () => {
    await expect(started().known({ tenantId: 1, paths: [] }, [])).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(await started().write('lines', null, 'target', 1)).toBe(7);
  });
});
