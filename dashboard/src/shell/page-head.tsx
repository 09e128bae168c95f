import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** The heading of a view, with its actions. */
export const PageHead = (props: { readonly title: string; readonly children?: ReactNode }) => (
  <Group justify="space-between" mih={28} mb={6}>
    <Title order={1} size="h3">
      {props.title}
    </Title>
    <Group gap="xs">{props.children}</Group>
  </Group>
);
