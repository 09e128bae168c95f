import { Badge } from '@mantine/core';
import type { AlertSeverity } from '../../generated/operations';
import { useTexts } from '../lib/language';
import { SEVERITY_COLORS } from './alert-words';
import { ALERTS } from './texts';

/** A severity as a word; its colour is only an aid. */
export const Severity = ({ severity }: { readonly severity: AlertSeverity }) => {
  const t = useTexts(ALERTS);
  return (
    <Badge
      variant="light"
      size="sm"
      radius="sm"
      tt="none"
      color={SEVERITY_COLORS[severity]}
      style={{
        flexShrink: 0,
        borderInlineStart: `4px solid var(--mantine-color-${SEVERITY_COLORS[severity]}-6)`,
      }}
    >
      {t[severity]}
    </Badge>
  );
};
