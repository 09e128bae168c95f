import { Table, Title } from '@mantine/core';
import { FieldRow } from '../../lib/field-row';
import { useTexts } from '../../lib/language';
import { EVENT } from './texts';

/** The values of the audit record beyond the fields, and the record's file and position. */
export function AdditionalValues({ values }: { readonly values: unknown }) {
  const t = useTexts(EVENT);
  const entries = Object.entries(values ?? {});
  if (entries.length === 0) return null;
  return (
    <div>
      <Title order={3} size="sm" mb={4}>
        {t.alsoInRecord}
      </Title>
      <Table variant="vertical" withTableBorder layout="fixed" fz="sm">
        <Table.Tbody>
          {entries.map(([name, value]) => (
            <FieldRow key={name} label={name}>
              {typeof value === 'object' ? JSON.stringify(value) : String(value)}
            </FieldRow>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
