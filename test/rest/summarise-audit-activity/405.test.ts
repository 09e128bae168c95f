import { refusesOtherMethods } from '../support/405';
import { SUMMARY } from '../support/operations';

refusesOtherMethods(SUMMARY);
