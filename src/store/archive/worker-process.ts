import { answerParentWith } from './asked-process';
import { type DuckBounds, DuckWorker } from './duck-worker';

/** Files are made and read in this process. */
answerParentWith(new DuckWorker(JSON.parse(process.argv[2] ?? '') as DuckBounds));
