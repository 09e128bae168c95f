import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SaveCsv } from './save-csv';

interface Props {
  readonly controls: ReactNode;
  /** Which part of everything the chart shows; null: there is no answer yet. */
  readonly extent: string | null;
  readonly csv: (() => { readonly name: string; readonly content: Blob }) | null;
}

/** What stands above a chart of groups. */
export function ChartHead({ controls, extent, csv }: Props) {
  return (
    <>
      <Group gap="xs" mb="xs">
        {controls}
        {csv && extent && <SaveCsv key={extent} load={() => ({ ...csv(), extent })} />}
      </Group>
      {extent && (
        <Text size="sm" c="dimmed" mb="xs" role="status">
          {extent}
        </Text>
      )}
    </>
  );
}
