import { refusesMissingAndInvalidKeys } from '../support/401';
import { DETAIL } from '../support/operations';

refusesMissingAndInvalidKeys(DETAIL);
