import { refusesMissingAndInvalidKeys } from '../support/401';
import { LIST } from '../support/operations';

refusesMissingAndInvalidKeys(LIST);
