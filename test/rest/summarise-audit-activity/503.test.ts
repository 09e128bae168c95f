import { refusesWhileTheDatabaseIsLost } from '../support/503';
import { SUMMARY } from '../support/operations';

refusesWhileTheDatabaseIsLost(SUMMARY);
