import { refusesWhileTheDatabaseIsLost } from '../support/503';
import { LIST } from '../support/operations';

refusesWhileTheDatabaseIsLost(LIST);
