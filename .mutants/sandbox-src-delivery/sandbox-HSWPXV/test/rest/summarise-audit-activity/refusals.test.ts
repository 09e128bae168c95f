import { refusesMissingAndInvalidKeys } from '../support/401';
import { refusesKeysWithoutScopeOrTenant } from '../support/403';
import { refusesOtherMethods } from '../support/405';
import { refusesCallsOverTheLimit } from '../support/429';
import { refusesWhileTheDatabaseIsLost } from '../support/503';
import { SUMMARY } from '../support/operations';

refusesMissingAndInvalidKeys(SUMMARY);
refusesKeysWithoutScopeOrTenant(SUMMARY);
refusesOtherMethods(SUMMARY);
refusesCallsOverTheLimit(SUMMARY);
refusesWhileTheDatabaseIsLost(SUMMARY);
