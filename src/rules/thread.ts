import { workerData } from 'node:worker_threads';
import { answerWith } from '../asked-thread';
import { LocalHost, parseAhead, type RuleSource } from './host';

/** Engines run on this thread. It parses the rules of most tenants before it is ready, so that no tenant's time goes into them. */
parseAhead(workerData as readonly RuleSource[]);
answerWith(new LocalHost());
