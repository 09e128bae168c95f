import { refusesKeysWithoutScopeOrTenant } from '../support/403';
import { LIST } from '../support/operations';

refusesKeysWithoutScopeOrTenant(LIST);
