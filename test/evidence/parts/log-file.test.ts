import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readLogFile, writeLogFile } from '../../../src/modules/evidence/verify/log-file';
import { temporaryFolder } from '../../support/engines';
import { anEventInFull, logOf } from './log-copies';

const LOG = logOf([anEventInFull(1), anEventInFull(2), anEventInFull(3)], [1, 3]);

describe('a file of an evidence log', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is read as it was written', async () => {
    const file = path.join(folder, 'log.ndjson');
    await writeLogFile(file, LOG);
    expect(await readLogFile(file)).toEqual(LOG);
  });

  it('is refused, with its name, where ids and hashes are not equally many or a line is of something else', async () => {
    const file = path.join(folder, 'other.ndjson');
    const { recordIds, leafHashes, checkpoints: _, ...about } = LOG;
    const entries = {
      recordIds: recordIds.subarray(16).toString('base64'),
      leafHashes: leafHashes.toString('base64'),
    };
    for (const [lines, problem] of [
      [[{ auditLog: about }, entries], 'record ids and leaf hashes are not equally many'],
      [[{ auditLog: about }, { recordId: 'x' }], 'line 2 is not of an evidence log'],
      [[entries], 'line 1 is not of an evidence log'],
      [[], 'is not an evidence log'],
    ] as const) {
      await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      await expect(readLogFile(file)).rejects.toThrow(problem);
      await expect(readLogFile(file)).rejects.toThrow(file);
    }
  });
});
