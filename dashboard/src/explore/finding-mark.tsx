import { Anchor } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { MouseEvent } from 'react';
import { Link } from 'wouter';
import { useTexts } from '../lib/language';
import { EXPLORE } from './texts';
import type { FindingMark as Finding } from './use-findings';

/** Marks an event that is part of findings, with a link to the alert of the first. */
export function FindingMark({ findings }: { readonly findings: readonly Finding[] }) {
  const t = useTexts(EXPLORE);
  const [first] = findings;
  if (!first) return null;

  const text = t.findingOf(first.title, findings.length - 1);
  return (
    <Anchor
      component={Link}
      href={`/alerts/${first.alertId}`}
      aria-label={text}
      title={text}
      ml={6}
      lh={0}
      onClick={(event: MouseEvent) => event.stopPropagation()}
    >
      <IconAlertTriangle size={14} aria-hidden style={{ verticalAlign: '-2px' }} />
    </Anchor>
  );
}
