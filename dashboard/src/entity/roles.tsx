import { Anchor, ScrollArea, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { LIMITS } from '../../../src/limits';
import type { EntityQuery } from '../../generated/operations';
import { exploreHref, recordFilter } from '../alerts/explore-links';
import { showHidden } from '../explore/event/marks';
import { ALL } from '../explore/time-range';
import { useTexts } from '../lib/language';
import { formatDate, formatTime, type TimeZone } from '../lib/time';
import { entityPage } from './entity-links';
import { ENTITY } from './texts';

type Entity = NonNullable<EntityQuery['entity']>;

interface Props {
  readonly entity: Entity;
  readonly roles: NonNullable<Entity['roles']>;
  readonly zone: TimeZone;
  /** Whether they are the members of one role, and not the roles of one login. */
  readonly isRole: boolean;
}

/** Who holds and held a role, or which a login does, with who gave and took it. */
export function Roles({ entity, roles, zone, isRole }: Props) {
  const t = useTexts(ENTITY);
  const began = entity.logBegins ? `, ${formatDate(entity.logBegins, zone)}` : '';
  return (
    <>
      {roles.length > 0 && (
        <ScrollArea viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': t.rolesWithTimes }}>
          <Table fz="sm" verticalSpacing={3}>
            <Table.Thead>
              <Table.Tr>
                {[isRole ? t.member : t.role, t.where, t.since, t.until].map((title) => (
                  <Table.Th key={title}>{title}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {roles.map((one) => (
                <Table.Tr key={`${one.recordId} ${one.untilRecordId}`}>
                  <Table.Td fw={one.until ? 400 : 600}>
                    {isRole ? <Member of={one} /> : showHidden(one.role)}
                  </Table.Td>
                  <Table.Td>{whereOf(one) || t.notCaptured}</Table.Td>
                  <Table.Td>
                    {one.since ? (
                      <Change time={one.since} by={one.by} recordId={one.recordId} zone={zone} />
                    ) : (
                      t.beforeLog
                    )}
                  </Table.Td>
                  <Table.Td>
                    {one.until ? (
                      <Change time={one.until} by={one.untilBy} recordId={one.untilRecordId} zone={zone} />
                    ) : (
                      t.heldNow
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea>
      )}
      {roles.length === 0 && <Text size="sm">{t.noRoles}</Text>}
      <Text size="xs" c="dimmed">
        {t.rolesSince(began)}
        {entity.roleChanges > LIMITS.entityRoleChangesMax &&
          ` ${t.rolesLimit(entity.roleChanges, LIMITS.entityRoleChangesMax)}`}
      </Text>
    </>
  );
}

function Member({ of: { member } }: { readonly of: Props['roles'][number] }) {
  const t = useTexts(ENTITY);
  if (!member) return t.notCaptured;
  return (
    <Anchor component={Link} href={entityPage('login', member)} inherit>
      {showHidden(member)}
    </Anchor>
  );
}

const whereOf = ({ serverInstanceName, databaseName }: Props['roles'][number]) =>
  [serverInstanceName, databaseName].flatMap((name) => (name ? [showHidden(name)] : [])).join(' › ');

function Change(props: {
  readonly time: string;
  readonly by: string | null | undefined;
  readonly recordId: string | null | undefined;
  readonly zone: TimeZone;
}) {
  const t = useTexts(ENTITY);
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
      {by && ` ${t.by(showHidden(by))}`}
    </>
  );
}
