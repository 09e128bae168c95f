import { Anchor } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { MouseEvent } from 'react';
import { Link } from 'wouter';
import type { FindingMark as Finding } from './use-findings';

/** Marks an event that is part of findings, with a link to the alert of the first. */
export function FindingMark({ findings }: { readonly findings: readonly Finding[] }) {
  const [first] = findings;
  if (!first) return null;
  const more = findings.length > 1 ? ` and ${findings.length - 1} more` : '';
  const text = `Part of a finding: ${first.title}${more}`;
  return (
    <Anchor
      component={Link}
      href={`/alerts/${first.alertId}`}
      aria-label={text}
      title={text}
      ml={6}
      onClick={(event: MouseEvent) => event.stopPropagation()}
    >
      <IconAlertTriangle size={14} aria-hidden />
    </Anchor>
  );
}
