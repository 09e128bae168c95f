import { Anchor, Group, Paper, Table, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { ComplianceControlQuery } from '../../generated/operations';
import { exploreHref, recordFilter } from '../alerts/explore-links';
import { hasScope } from '../api/rights';
import type { Session } from '../api/session';
import { showHidden } from '../explore/event/marks';
import { ALL, fixedRange, last } from '../explore/time-range';
import { counted } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { nameOf } from '../lib/tenant-name';
import { DAY_MS, formatTime } from '../lib/time';
import { Status } from './status';
import { GROUP_STATES } from './words';

type Instance = NonNullable<ComplianceControlQuery['complianceControl']>['instances'][number];

interface Props {
  readonly instance: Instance;
  readonly asOf: string | null;
  readonly session: Session;
}

/** The days before the moment that an assessment looks at. */
const PERIOD_DAYS = 30;

/** How a control stands on one instance: status, reason, the records that prove it, and its audit action groups. */
export function InstanceStanding({ instance, asOf, session }: Props) {
  const [zone] = useTimeZone();
  const { serverInstanceName, databaseName, recordIds } = instance;
  const name = [serverInstanceName, ...(databaseName === null ? [] : [databaseName])]
    .map(showHidden)
    .join(', ');
  const readsEvents = hasScope(session, 'read:audit-activity');
  const time = (text: string | null) => (text === null ? 'not known' : formatTime(text, zone));
  return (
    <Paper withBorder p="sm" component="article" aria-label={name}>
      <Group gap="xs">
        <Title order={2} size="h5" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Title>
        <Status status={instance.status} />
        {session.tenants.length > 1 && (
          <Text size="sm" c="dimmed">
            {showHidden(nameOf(session.tenants, instance.tenantId))}
          </Text>
        )}
      </Group>
      <Text size="sm" mt={6} style={{ overflowWrap: 'anywhere' }}>
        {showHidden(instance.reason)}
      </Text>
      <Text size="sm" c="dimmed" mt={4}>
        Since {time(instance.since)}. The sources are complete up to {time(instance.evaluatedThrough)}.
      </Text>
      {readsEvents && recordIds.length > 0 && (
        <Anchor component={Link} size="sm" href={recordsHref(recordIds)}>
          {recordIds.length === 1
            ? 'The record that proves it'
            : `${counted(recordIds.length, 'record')} that prove it`}
        </Anchor>
      )}
      {instance.groups.length > 0 && <Groups instance={instance} asOf={asOf} readsEvents={readsEvents} />}
    </Paper>
  );
}

/** One record opens at once. */
const recordsHref = (recordIds: readonly string[]): string => {
  const [event] = recordIds;
  const isOne = recordIds.length === 1 && event !== undefined;
  return exploreHref({ filter: recordFilter(recordIds), range: ALL, ...(isOne && { event }) });
};

function Groups({
  instance,
  asOf,
  readsEvents,
}: Pick<Props, 'instance' | 'asOf'> & { readonly readsEvents: boolean }) {
  const [zone] = useTimeZone();
  const end = asOf === null ? null : Date.parse(asOf);
  const range = end === null ? last(PERIOD_DAYS, 'd') : fixedRange(end - PERIOD_DAYS * DAY_MS, end);
  return (
    <Table.ScrollContainer minWidth={560} mt="xs">
      <Table fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Audit action group</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Since</Table.Th>
            <Table.Th>By</Table.Th>
            {readsEvents && <Table.Th>Look</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {instance.groups.map(({ group, state, since, by, recordId, filter }) => (
            <Table.Tr key={group}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{group}</Table.Td>
              <Table.Td>{GROUP_STATES[state]}</Table.Td>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                {since === null ? '–' : formatTime(since, zone)}
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{by === null ? '–' : showHidden(by)}</Table.Td>
              {readsEvents && (
                <Table.Td>
                  <Group gap="xs">
                    <Anchor component={Link} inherit href={exploreHref({ filter, range })}>
                      Events<span className="sr-only"> of {group}</span>
                    </Anchor>
                    {recordId !== null && (
                      <Anchor component={Link} inherit href={recordsHref([recordId])}>
                        Change<span className="sr-only"> of {group}</span>
                      </Anchor>
                    )}
                  </Group>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
