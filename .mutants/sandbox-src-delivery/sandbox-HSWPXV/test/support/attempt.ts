import { type Attempt, ownAttempt } from '../../src/caller/access-log';

/** The attempt for a change that a test makes on the store, without a service. */
export const AN_ATTEMPT: Attempt = ownAttempt('test', new Date());
