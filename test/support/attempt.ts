import { type Attempt, ownAttempt } from '../../src/caller/access-log';

/** For a change that a test makes without a service before the store. */
export const AN_ATTEMPT: Attempt = ownAttempt('test', new Date());
