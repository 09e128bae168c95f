import os from 'node:os';
import { ownAttempt, storableName } from '../../caller/access-log';
import type { Config } from '../../config';
import { openDatabase } from '../../database/database';
import { migrate } from '../../database/migrate';
import type { Answer } from '../../event/shape';
import { LogEpoch } from '../../store/log/epoch/log-epoch';
import { ErasureFiles } from '../../store/log/evidence/erasure-files';
import { type LOG_EPOCH, toLogEpoch } from './answers';
import { FINISH_OPERATION, type FinishStep, finishStep } from './finish-step';

/** Does what `finishRestore` does, on the database itself: the service may be stopped. It needs the owner's login. */
export async function finishRestore(config: Config, step: FinishStep): Promise<Answer<typeof LOG_EPOCH>> {
  const database = await openDatabase(config);
  try {
    await migrate(database.migrator);
    const epoch = await LogEpoch.open({
      owner: database.migrator,
      embeddedIn: config.databaseUrl === null ? config.dataDir : null,
      isDrill: false,
      nowMs: Date.now,
      // The command prints the reason itself.
      log: { warn: () => {} },
    });
    const who = { ...step, host: storableName(os.hostname()) };
    const attempt = { ...ownAttempt(FINISH_OPERATION, new Date(), who), entrance: 'command' };
    const state = await finishStep(epoch, step, attempt);
    const erasures = new ErasureFiles(database.migrator, config.dataDir);
    return toLogEpoch(state, config.drill, await erasures.lost());
  } finally {
    await database.close();
  }
}
