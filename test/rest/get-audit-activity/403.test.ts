import { refusesKeysWithoutScopeOrTenant } from '../support/403';
import { DETAIL } from '../support/operations';

refusesKeysWithoutScopeOrTenant(DETAIL);
