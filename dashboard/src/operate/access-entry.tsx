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
import { OPERATE } from './texts';

/** The most tenants that are named; of further ones, the number is shown. */
const NAMED_MAX = 50;

interface Props {
  readonly entry: Entry | null;
  readonly tenants: readonly NamedTenant[];
  readonly onClose: () => void;
}

/** One entry of the access log in full. */
export function AccessEntry({ entry, tenants, onClose }: Props) {
  const t = useTexts(OPERATE);
  const common = useTexts(COMMON);
  const [zone] = useTimeZone();
  return (
    <Drawer
      opened={entry !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={t.access}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {entry && (
        <Table variant="vertical" withTableBorder layout="fixed" fz="sm">
          <Table.Tbody>
            <FieldRow label={t.timeIn(zone)}>{formatTime(entry.at, zone, 3)}</FieldRow>
            <FieldRow label={t.who}>{whoOf(entry)}</FieldRow>
            <FieldRow label={common.kind}>{entry.principalKind}</FieldRow>
            <FieldRow label={t.keyId}>{entry.keyId ?? '–'}</FieldRow>
            <FieldRow label={t.operation}>{entry.operation}</FieldRow>
            <FieldRow label={t.through}>{entry.entrance}</FieldRow>
            <FieldRow label={t.parameters}>
              <code>{entry.parameters}</code>
            </FieldRow>
            <FieldRow label={t.madeOrChanged}>{entry.subject ?? '–'}</FieldRow>
            <FieldRow label={t.tenants}>{namesOf(tenants, entry.tenantIds, common, NAMED_MAX)}</FieldRow>
            <FieldRow label={t.rows}>{entry.rows === null ? '–' : formatCount(entry.rows)}</FieldRow>
            <FieldRow label={t.outcome}>{entry.outcome}</FieldRow>
            <FieldRow label={t.address}>{entry.address}</FieldRow>
            <FieldRow label={t.requestId}>{entry.requestId}</FieldRow>
          </Table.Tbody>
        </Table>
      )}
    </Drawer>
  );
}
