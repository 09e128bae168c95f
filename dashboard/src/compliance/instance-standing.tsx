import { Anchor, Group, Paper, Table, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { ComplianceControlQuery } from '../../generated/operations';
import { exploreHref, recordFilter } from '../alerts/explore-links';
import { hasScope } from '../api/rights';
import type { Session } from '../api/session';
import { showHidden } from '../explore/event/marks';
import { ALL, fixedRange, last } from '../explore/time-range';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import { nameOf } from '../lib/tenant-name';
import { DAY_MS, formatTime } from '../lib/time';
import { Status } from './status';
import { COMPLIANCE } from './texts';

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
  const t = useTexts(COMPLIANCE);
  const [zone] = useTimeZone();
  const { serverInstanceName, databaseName, recordIds } = instance;
  const name = [serverInstanceName, ...(databaseName === null ? [] : [databaseName])]
    .map(showHidden)
    .join(', ');
  const readsEvents = hasScope(session, 'read:audit-activity');
  const time = (text: string | null) => (text === null ? t.notKnown : formatTime(text, zone));
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
      <Text size="sm" mt={6} style={{ overflowWrap: 'anywhere' }} lang="en">
        {showHidden(instance.reason)}
      </Text>
      <Text size="sm" c="dimmed" mt={4}>
        {t.sinceUpTo(time(instance.since), time(instance.evaluatedThrough))}
      </Text>
      {readsEvents && recordIds.length > 0 && (
        <Anchor component={Link} size="sm" href={recordsHref(recordIds)}>
          {t.proofs(recordIds.length)}
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
  const common = useTexts(COMMON);
  const t = useTexts(COMPLIANCE);
  const [zone] = useTimeZone();
  const end = asOf === null ? null : Date.parse(asOf);
  const range = end === null ? last(PERIOD_DAYS, 'd') : fixedRange(end - PERIOD_DAYS * DAY_MS, end);
  return (
    <Table.ScrollContainer minWidth={560} mt="xs">
      <Table fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.group}</Table.Th>
            <Table.Th>{common.state}</Table.Th>
            <Table.Th>{common.since}</Table.Th>
            <Table.Th>{t.by}</Table.Th>
            {readsEvents && <Table.Th>{t.look}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {instance.groups.map(({ group, state, since, by, recordId, filter }) => (
            <Table.Tr key={group}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{group}</Table.Td>
              <Table.Td>{t[state]}</Table.Td>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                {since === null ? '–' : formatTime(since, zone)}
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{by === null ? '–' : showHidden(by)}</Table.Td>
              {readsEvents && (
                <Table.Td>
                  <Group gap="xs">
                    <Anchor component={Link} inherit href={exploreHref({ filter, range })}>
                      {common.events}
                      <span className="sr-only"> {common.of(group)}</span>
                    </Anchor>
                    {recordId !== null && (
                      <Anchor component={Link} inherit href={recordsHref([recordId])}>
                        {t.change}
                        <span className="sr-only"> {common.of(group)}</span>
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
