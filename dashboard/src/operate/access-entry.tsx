import { Drawer, Table } from '@mantine/core';
import { COMMON } from '../lib/common';
import { FieldRow } from '../lib/field-row';
import { useTexts } from '../lib/language';
import { formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { type NamedTenant, namesOf } from '../lib/tenant-name';
import { formatTime } from '../lib/time';
import type { Entry } from './rows';
import { whoOf } from './rows';

/** The most tenants that are named; of further ones, the number is shown. */
const NAMED_MAX = 50;

interface Props {
  readonly entry: Entry | null;
  readonly tenants: readonly NamedTenant[];
  readonly onClose: () => void;
}

/** One entry of the access log in full. */
export function AccessEntry({ entry, tenants, onClose }: Props) {
  const common = useTexts(COMMON);
  const [zone] = useTimeZone();
  return (
    <Drawer
      opened={entry !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title="Access"
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {entry && (
        <Table variant="vertical" withTableBorder layout="fixed" fz="sm">
          <Table.Tbody>
            <FieldRow label={`Time (${zone})`}>{formatTime(entry.at, zone, 3)}</FieldRow>
            <FieldRow label="Who">{whoOf(entry)}</FieldRow>
            <FieldRow label={common.kind}>{entry.principalKind}</FieldRow>
            <FieldRow label="Key id">{entry.keyId ?? '–'}</FieldRow>
            <FieldRow label="Operation">{entry.operation}</FieldRow>
            <FieldRow label="Through">{entry.entrance}</FieldRow>
            <FieldRow label="Parameters">
              <code>{entry.parameters}</code>
            </FieldRow>
            <FieldRow label="Made or changed">{entry.subject ?? '–'}</FieldRow>
            <FieldRow label="Tenants">{namesOf(tenants, entry.tenantIds, common, NAMED_MAX)}</FieldRow>
            <FieldRow label="Rows">{entry.rows === null ? '–' : formatCount(entry.rows)}</FieldRow>
            <FieldRow label="Outcome">{entry.outcome}</FieldRow>
            <FieldRow label="Address">{entry.address}</FieldRow>
            <FieldRow label="Request id">{entry.requestId}</FieldRow>
          </Table.Tbody>
        </Table>
      )}
    </Drawer>
  );
}
