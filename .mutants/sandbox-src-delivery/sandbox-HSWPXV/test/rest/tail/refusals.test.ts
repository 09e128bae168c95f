import { refusesMissingAndInvalidKeys } from '../support/401';
import { refusesKeysWithoutScopeOrTenant } from '../support/403';
import { refusesOtherMethods } from '../support/405';
import { refusesCallsOverTheLimit } from '../support/429';
import { refusesWhileTheDatabaseIsLost } from '../support/503';
import type { Operation } from '../support/operations';

const TAIL: Operation = {
  title: 'GET /audit-activity/tail',
  path: () => '/audit-activity/tail?from=beginning',
  mistaken: ['/audit-activity/tail', 'limit=0'],
};

refusesMissingAndInvalidKeys(TAIL);
refusesKeysWithoutScopeOrTenant(TAIL);
refusesOtherMethods(TAIL);
refusesCallsOverTheLimit(TAIL);
refusesWhileTheDatabaseIsLost(TAIL);
