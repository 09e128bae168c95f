import { refusesKeysWithoutScopeOrTenant } from '../support/403';
import { SUMMARY } from '../support/operations';

refusesKeysWithoutScopeOrTenant(SUMMARY);
