import type { ControlStatus } from '../../generated/operations';

/** The worst first. A colour is only an aid; the words are in the catalogue. */
export const STATUS_COLORS: Record<ControlStatus, string> = {
  fail: 'red',
  unknown: 'orange',
  pass: 'green',
  not_applicable: 'gray',
};
export const STATUS_NAMES = Object.keys(STATUS_COLORS) as ControlStatus[];
