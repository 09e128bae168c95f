import { Anchor, ScrollArea, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { LIMITS } from '../../../src/limits';
import type { EntityQuery } from '../../generated/operations';
import { exploreHref, recordFilter } from '../alerts/explore-links';
import { showHidden } from '../explore/event/marks';
import { ALL } from '../explore/time-range';
import { formatCount } from '../lib/numbers';
import { formatDate, formatTime, type TimeZone } from '../lib/time';

type Entity = NonNullable<EntityQuery['entity']>;

interface Props {
  readonly entity: Entity;
  readonly roles: NonNullable<Entity['roles']>;
  readonly zone: TimeZone;
}

/** The roles that a login holds and held, with who gave and took them. */
export function Roles({ entity, roles, zone }: Props) {
  const began = entity.logBegins ? `, ${formatDate(entity.logBegins, zone)}` : '';
  return (
    <>
      {roles.length > 0 && (
        <ScrollArea viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Roles with their times' }}>
          <Table fz="sm" verticalSpacing={3}>
            <Table.Thead>
              <Table.Tr>
                {['Role', 'Where', 'Since', 'Until'].map((title) => (
                  <Table.Th key={title}>{title}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {roles.map((one) => (
                <Table.Tr key={`${one.recordId} ${one.untilRecordId}`}>
                  <Table.Td fw={one.until ? 400 : 600}>{showHidden(one.role)}</Table.Td>
                  <Table.Td>{whereOf(one)}</Table.Td>
                  <Table.Td>
                    {one.since ? (
                      <Change time={one.since} by={one.by} recordId={one.recordId} zone={zone} />
                    ) : (
                      'before the log began'
                    )}
                  </Table.Td>
                  <Table.Td>
                    {one.until ? (
                      <Change time={one.until} by={one.untilBy} recordId={one.untilRecordId} zone={zone} />
                    ) : (
                      'held now'
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea>
      )}
      {roles.length === 0 && <Text size="sm">No event gave it a role or took one from it.</Text>}
      <Text size="xs" c="dimmed">
        Known since the log began{began}: a role that was given before, and not touched since, is not listed.
        {entity.roleChanges > LIMITS.entityRoleChangesMax &&
          ` ${formatCount(entity.roleChanges)} changes name it; the newest ${formatCount(LIMITS.entityRoleChangesMax)} are replayed.`}
      </Text>
    </>
  );
}

const whereOf = ({ serverInstanceName, databaseName }: Props['roles'][number]) =>
  [serverInstanceName, databaseName].flatMap((name) => (name ? [showHidden(name)] : [])).join(' › ') ||
  'not captured';

function Change(props: {
  readonly time: string;
  readonly by: string | null | undefined;
  readonly recordId: string | null | undefined;
  readonly zone: TimeZone;
}) {
  const { time, by, recordId, zone } = props;
  const text = formatTime(time, zone);
  return (
    <>
      {recordId ? (
        <Anchor
          component={Link}
          href={exploreHref({ filter: recordFilter([recordId]), range: ALL })}
          inherit
          underline="always"
        >
          {text}
        </Anchor>
      ) : (
        text
      )}
      {by && ` by ${showHidden(by)}`}
    </>
  );
}
