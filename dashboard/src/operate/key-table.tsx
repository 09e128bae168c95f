import { Badge, Button, Group, Text } from '@mantine/core';
import { DataTable } from 'mantine-datatable';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { LIST_TABLE, NoteCell } from '../lib/listed';
import { NameCell } from '../lib/name-cell';
import { useTimeZone } from '../lib/preferences';
import { serviceNowMs } from '../lib/service-clock';
import { type NamedTenant, namesOf } from '../lib/tenant-name';
import { formatTime, type TimeZone } from '../lib/time';
import { expiresSoon } from './key-life';
import type { ApiKey } from './rows';
import { OPERATE } from './texts';

interface Props {
  /** Newest first. */
  readonly keys: ApiKey[];
  readonly tenants: readonly NamedTenant[];
  readonly isBusy: boolean;
  readonly onRotate: (key: ApiKey) => void;
  readonly onRevoke: (key: ApiKey) => void;
}

const COLORS = { valid: 'green', expired: 'gray', revoked: 'red' } as const;
const isState = (state: string): state is keyof typeof COLORS => Object.hasOwn(COLORS, state);

export function KeyTable({ keys, tenants, isBusy, onRotate, onRevoke }: Props) {
  const t = useTexts(OPERATE);
  const common = useTexts(COMMON);
  const [zone] = useTimeZone();
  return (
    <DataTable
      {...LIST_TABLE}
      minHeight={140}
      idAccessor="keyId"
      records={keys}
      fetching={isBusy}
      noRecordsText={t.noKey}
      columns={[
        { accessor: 'name', title: common.name, render: (key) => <Named apiKey={key} /> },
        {
          accessor: 'kind',
          title: common.kind,
          render: ({ kind }) =>
            kind === 'agent' ? t.agentKind : kind === 'operator' ? t.operatorKind : 'API',
        },
        {
          accessor: 'state',
          title: common.state,
          render: (key) => {
            const isEnding = expiresSoon(key, serviceNowMs());
            return (
              <Badge
                size="sm"
                variant="light"
                tt="none"
                color={isEnding ? 'orange' : isState(key.state) ? COLORS[key.state] : 'gray'}
              >
                {isEnding ? t.expiresSoon : isState(key.state) ? t[key.state] : key.state}
              </Badge>
            );
          },
        },
        {
          accessor: 'tenantIds',
          title: t.tenants,
          render: (key) => <NameCell name={namesOf(tenants, key.tenantIds, common)} />,
        },
        {
          accessor: 'scopes',
          title: t.scopes,
          render: ({ scopes }) => <NoteCell>{scopes.join(', ') || '–'}</NoteCell>,
        },
        { accessor: 'createdAt', title: t.created, noWrap: true, render: (key) => at(key.createdAt, zone) },
        {
          accessor: 'expiresAt',
          title: t.expires,
          noWrap: true,
          render: (key) => at(key.expiresAt, zone, t.never),
        },
        {
          accessor: 'lastUsedAt',
          title: t.lastUsed,
          noWrap: true,
          render: (key) => at(key.lastUsedAt, zone, t.never),
        },
        {
          accessor: 'actions',
          title: t.actions,
          render: (key) =>
            key.state === 'valid' && (
              <Group gap={4} wrap="nowrap">
                {!key.replacedBy && (
                  <Button size="compact-xs" variant="default" onClick={() => onRotate(key)}>
                    {t.rotate}
                    <span className="sr-only"> {key.name}</span>
                  </Button>
                )}
                <Button size="compact-xs" variant="default" c="red" onClick={() => onRevoke(key)}>
                  {t.revoke}
                  <span className="sr-only"> {key.name}</span>
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
  const t = useTexts(OPERATE);
  const { name, prefix, allowedAddresses, replaces, replacedBy } = apiKey;
  const notes = [
    ...(replaces ? [t.rotatedFrom] : []),
    ...(replacedBy ? [t.replacedBy] : []),
    ...(allowedAddresses.length > 0 ? [t.fromOnly(allowedAddresses.join(', '))] : []),
  ];
  return (
    <Group gap={6} wrap="nowrap">
      {/* It is at least as wide as the longest word of the name. */}
      <div>
        <NameCell name={name} />
      </div>
      <Text size="xs" c="dimmed" component="code">
        {prefix}…
      </Text>
      <Text size="xs" c="dimmed" component="span" truncate title={notes.join(' · ')}>
        {notes.join(' · ')}
      </Text>
    </Group>
  );
}
