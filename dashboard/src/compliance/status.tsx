import { Badge } from '@mantine/core';
import type { ControlStatus } from '../../generated/operations';
import { useTexts } from '../lib/language';
import { COMPLIANCE } from './texts';
import { STATUS_COLORS } from './words';

/** A status as a word. */
export const Status = ({ status }: { readonly status: ControlStatus }) => {
  const t = useTexts(COMPLIANCE);
  return (
    <Badge variant="light" size="sm" radius="sm" tt="none" color={STATUS_COLORS[status]}>
      {t[status]}
    </Badge>
  );
};
