import { refusesMissingAndInvalidKeys } from '../support/401';
import { refusesKeysWithoutScopeOrTenant } from '../support/403';
import { refusesOtherMethods } from '../support/405';
import { refusesWhileTheDatabaseIsLost } from '../support/503';
import type { Operation } from '../support/operations';

const EXPORT: Operation = {
  title: 'GET /audit-activity/export',
  path: () => '/audit-activity/export',
  mistaken: ['/audit-activity/export', 'format=xml'],
};

refusesMissingAndInvalidKeys(EXPORT);
refusesKeysWithoutScopeOrTenant(EXPORT);
refusesOtherMethods(EXPORT);
refusesWhileTheDatabaseIsLost(EXPORT);
