import { refusesOtherMethods } from '../support/405';
import { DETAIL } from '../support/operations';

refusesOtherMethods(DETAIL);
