import { refusesCallsOverTheLimit } from '../support/429';
import { SUMMARY } from '../support/operations';

refusesCallsOverTheLimit(SUMMARY);
