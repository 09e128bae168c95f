import { refusesOtherMethods } from '../support/405';
import { LIST } from '../support/operations';

refusesOtherMethods(LIST);
