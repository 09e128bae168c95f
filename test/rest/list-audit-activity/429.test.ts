import { refusesCallsOverTheLimit } from '../support/429';
import { LIST } from '../support/operations';

refusesCallsOverTheLimit(LIST);
