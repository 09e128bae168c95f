import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** A row with a name and its value. */
export const FieldRow = (props: { readonly label: string; readonly children: ReactNode }) => (
  <Table.Tr>
    <Table.Th w={170} scope="row">
      {props.label}
    </Table.Th>
    <Table.Td style={{ overflowWrap: 'anywhere' }}>{props.children}</Table.Td>
  </Table.Tr>
);
