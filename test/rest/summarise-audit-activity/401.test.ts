import { refusesMissingAndInvalidKeys } from '../support/401';
import { SUMMARY } from '../support/operations';

refusesMissingAndInvalidKeys(SUMMARY);
