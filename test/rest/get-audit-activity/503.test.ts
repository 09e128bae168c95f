import { refusesWhileTheDatabaseIsLost } from '../support/503';
import { DETAIL } from '../support/operations';

refusesWhileTheDatabaseIsLost(DETAIL);
