import { Badge } from '@mantine/core';
import type { AlertSeverity } from '../../generated/operations';
import { capital, SEVERITY_COLORS } from './alert-words';

/** A severity as a word; its colour is only an aid. */
export const Severity = ({ severity }: { readonly severity: AlertSeverity }) => (
  <Badge
    variant="light"
    size="sm"
    radius="sm"
    tt="none"
    color={SEVERITY_COLORS[severity]}
    style={{ borderInlineStart: `4px solid var(--mantine-color-${SEVERITY_COLORS[severity]}-6)` }}
  >
    {capital(severity)}
  </Badge>
);
