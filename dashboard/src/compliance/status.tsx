import { Badge } from '@mantine/core';
import type { ControlStatus } from '../../generated/operations';
import { STATUSES } from './words';

/** A status as a word. */
export const Status = ({ status }: { readonly status: ControlStatus }) => (
  <Badge variant="light" size="sm" radius="sm" tt="none" color={STATUSES[status].color}>
    {STATUSES[status].label}
  </Badge>
);
