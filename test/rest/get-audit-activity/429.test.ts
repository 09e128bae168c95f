import { refusesCallsOverTheLimit } from '../support/429';
import { DETAIL } from '../support/operations';

refusesCallsOverTheLimit(DETAIL);
