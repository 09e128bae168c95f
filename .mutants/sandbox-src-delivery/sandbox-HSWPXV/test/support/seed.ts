import fc from 'fast-check';
import { SEED } from './share';

// Property tests make the same choices in each run; `TEST_SEED=n` makes different ones.
fc.configureGlobal({ seed: SEED });
