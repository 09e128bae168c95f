import { answerParentWith } from './asked-process';
import { DuckWorker } from './duck-worker';
import type { DuckBounds } from './open-duck';

/** Files are made and read in this process. */
answerParentWith(new DuckWorker(JSON.parse(process.argv[2] ?? '') as DuckBounds));
