import { refusesMissingAndInvalidKeys } from '../support/401';
import { refusesKeysWithoutScopeOrTenant } from '../support/403';
import { refusesOtherMethods } from '../support/405';
import { refusesCallsOverTheLimit } from '../support/429';
import { refusesWhileTheDatabaseIsLost } from '../support/503';
import { LIST } from '../support/operations';

refusesMissingAndInvalidKeys(LIST);
refusesKeysWithoutScopeOrTenant(LIST);
refusesOtherMethods(LIST);
refusesCallsOverTheLimit(LIST);
refusesWhileTheDatabaseIsLost(LIST);
