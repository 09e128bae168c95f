import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { showHidden } from '../explore/event/marks';
import { entityHref, type Span } from './explore-links';

interface Props {
  readonly field: string;
  readonly value: string | null;
  readonly span: Span;
}

/** A value of a field, as a link to the events with it within an hour before and after. */
export function Entity({ field, value, span }: Props) {
  const href = entityHref(field, value, span);
  const text = value === null ? 'not captured' : showHidden(value);
  return href ? (
    <Anchor component={Link} href={href} size="sm" style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Anchor>
  ) : (
    <Text span size="sm">
      {text}
    </Text>
  );
}
