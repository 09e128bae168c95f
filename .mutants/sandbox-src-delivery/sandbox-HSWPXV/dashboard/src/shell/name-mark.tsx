import { Group, Text } from '@mantine/core';

/** The product's mark and name. The mark shows entries of a log, and one that is being looked at. */
export const NameMark = ({ isWhole = false }: { readonly isWhole?: boolean }) => (
  <Group component="span" gap={8} wrap="nowrap">
    <svg width={26} height={26} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--mantine-primary-color-filled)" />
      <path d="M8 10h10M8 16h6M8 22h10" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" />
      <circle cx="22" cy="16" r="4" fill="none" stroke="#fff" strokeWidth="2.4" />
    </svg>
    <Text span inherit fw={700} {...(isWhole ? {} : { visibleFrom: 'xs' })}>
      Audit Activity
    </Text>
  </Group>
);
