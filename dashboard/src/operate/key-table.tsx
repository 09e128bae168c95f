import { Badge, Button, Group, Text } from '@mantine/core';
import { DataTable } from 'mantine-datatable';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { NameCell } from '../lib/name-cell';
import { useTimeZone } from '../lib/preferences';
import { type NamedTenant, namesOf } from '../lib/tenant-name';
import { formatTime, type TimeZone } from '../lib/time';
import { expiresSoon } from './key-life';
import type { ApiKey } from './rows';

interface Props {
  /** Newest first. */
  readonly keys: ApiKey[];
  readonly tenants: readonly NamedTenant[];
  readonly isBusy: boolean;
  readonly onRotate: (key: ApiKey) => void;
  readonly onRevoke: (key: ApiKey) => void;
}

const COLORS: Record<string, string> = { valid: 'green', expired: 'gray', revoked: 'red' };

export function KeyTable({ keys, tenants, isBusy, onRotate, onRevoke }: Props) {
  const common = useTexts(COMMON);
  const [zone] = useTimeZone();
  return (
    <DataTable
      withTableBorder
      striped
      minHeight={140}
      fz="sm"
      idAccessor="keyId"
      records={keys}
      fetching={isBusy}
      noRecordsText="No key yet: make one"
      columns={[
        { accessor: 'name', title: common.name, render: (key) => <Named apiKey={key} /> },
        { accessor: 'kind', title: common.kind, render: ({ kind }) => (kind === 'public' ? 'API' : kind) },
        {
          accessor: 'state',
          title: common.state,
          render: (key) => {
            const isEnding = expiresSoon(key, Date.now());
            return (
              <Badge
                size="sm"
                variant="light"
                tt="none"
                color={isEnding ? 'orange' : (COLORS[key.state] ?? 'gray')}
              >
                {isEnding ? 'expires soon' : key.state}
              </Badge>
            );
          },
        },
        {
          accessor: 'tenantIds',
          title: 'Tenants',
          render: (key) => <NameCell name={namesOf(tenants, key.tenantIds, common)} />,
        },
        { accessor: 'scopes', title: 'Scopes', render: ({ scopes }) => scopes.join(', ') || '–' },
        { accessor: 'createdAt', title: 'Created', noWrap: true, render: (key) => at(key.createdAt, zone) },
        {
          accessor: 'expiresAt',
          title: 'Expires',
          noWrap: true,
          render: (key) => at(key.expiresAt, zone, 'never'),
        },
        {
          accessor: 'lastUsedAt',
          title: 'Last used',
          noWrap: true,
          render: (key) => at(key.lastUsedAt, zone, 'never'),
        },
        {
          accessor: 'actions',
          title: 'Actions',
          render: (key) =>
            key.state === 'valid' && (
              <Group gap={4} wrap="nowrap">
                {!key.replacedBy && (
                  <Button size="compact-xs" variant="default" onClick={() => onRotate(key)}>
                    Rotate<span className="sr-only"> {key.name}</span>
                  </Button>
                )}
                <Button size="compact-xs" variant="default" c="red" onClick={() => onRevoke(key)}>
                  Revoke<span className="sr-only"> {key.name}</span>
                </Button>
              </Group>
            ),
        },
      ]}
    />
  );
}

const at = (time: string | null, zone: TimeZone, absent = '–') => (time ? formatTime(time, zone) : absent);

function Named({ apiKey }: { readonly apiKey: ApiKey }) {
  const { name, prefix, allowedAddresses, replaces, replacedBy } = apiKey;
  const notes = [
    ...(replaces ? ['rotated from an older key'] : []),
    ...(replacedBy ? ['replaced by a newer key'] : []),
    ...(allowedAddresses.length > 0 ? [`from ${allowedAddresses.join(', ')} only`] : []),
  ];
  return (
    <>
      <Text size="sm" component="div">
        <NameCell name={name} />
      </Text>
      <Text size="xs" c="dimmed">
        <code>{prefix}…</code> {notes.join(' · ')}
      </Text>
    </>
  );
}
