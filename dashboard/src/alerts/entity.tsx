import { ActionIcon, Anchor, Text } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { Link } from 'wouter';
import { valuePage } from '../entity/entity-links';
import { showHidden } from '../explore/event/marks';
import { COMMON } from '../lib/common';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { entityHref, type Span } from './explore-links';
import { fieldLabel } from './group-text';
import { ALERTS } from './texts';

/** A short value is large enough for a finger, too. */
const TARGET = { display: 'inline-block', minWidth: 24, overflowWrap: 'anywhere' } as const;

interface Props {
  readonly field: string;
  readonly value: string | null;
  readonly span: Span;
}

/** A value of a field, as a link to the events with it within an hour before and after. */
export function Entity({ field, value, span }: Props) {
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(ALERTS);
  const href = entityHref(field, value, span);
  const text = value === null ? common.notCaptured : showHidden(value);
  const page = valuePage(field, value);
  return href ? (
    <>
      <Anchor component={Link} href={href} size="sm" style={TARGET}>
        {text}
      </Anchor>
      {page && (
        <ActionIcon
          component={Link}
          href={page}
          variant="subtle"
          color="gray"
          size={24}
          aria-label={t.pageOfThis(fieldLabel(field, labels))}
        >
          <IconArrowRight size={14} aria-hidden />
        </ActionIcon>
      )}
    </>
  ) : (
    <Text span size="sm">
      {text}
    </Text>
  );
}
