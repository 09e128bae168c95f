import { Anchor, Badge, Box, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useQuery } from 'urql';
import { Link, useLocation } from 'wouter';
import { EntityDocument, type EntityQuery } from '../../generated/operations';
import { SEVERITY_NAMES } from '../alerts/alert-words';
import { exploreHref } from '../alerts/explore-links';
import { Severity } from '../alerts/severity';
import { showHidden } from '../explore/event/marks';
import { ALL, fixedRange, type TimeRange } from '../explore/time-range';
import { textsAddress } from '../lib/address';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import type { In } from '../lib/texts';
import { formatDate, formatTime, type TimeZone } from '../lib/time';
import { useAddress } from '../lib/use-address';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import classes from './entity.module.css';
import { type EntityId, entityFilter, isEntityKind, quoted, valuePage } from './entity-links';
import { Roles } from './roles';
import { ENTITY } from './texts';
import { clockHours } from './usual-hours';

type Entity = NonNullable<EntityQuery['entity']>;

const ADDRESS = textsAddress(['value', 'databaseName', 'schemaName']);

/** The page of a login, host, address, object, database or server instance, at an address of its own. */
export default function EntityPage() {
  const t = useTexts(ENTITY);
  const [path] = useLocation();
  const [given] = useAddress(ADDRESS);
  const [, , kind = ''] = path.split('/');
  const { value, databaseName, schemaName } = given;
  if (!isEntityKind(kind) || value === null) return <Empty title={t.noEntity} />;
  // The key ends the answer of one entity with its page.
  return <EntityOf key={`${path}?${ADDRESS.format(given)}`} id={{ kind, value, databaseName, schemaName }} />;
}

function EntityOf({ id }: { readonly id: EntityId }) {
  const t = useTexts(ENTITY);
  const [{ data, error }, ask] = useQuery({ query: EntityDocument, variables: { ...id } });
  const [zone] = useTimeZone();
  const entity = data?.entity;
  return (
    <Stack gap="sm">
      <PageHead title={`${t[id.kind]} ${showHidden(id.value)}`} />
      {error && <Failed error={error} retry={() => ask()} />}
      {!entity && !error && <Loading what={t.loading} />}
      {entity && (
        <Known entity={entity} filter={entityFilter(id)} zone={zone} isRole={id.kind === 'object'} />
      )}
    </Stack>
  );
}

function Known(props: {
  readonly entity: Entity;
  readonly filter: string;
  readonly zone: TimeZone;
  /** Whether roles are those that an object is, and not those of a login. */
  readonly isRole: boolean;
}) {
  const [t, labels] = [useTexts(ENTITY), useTexts(FIELD_LABELS)];
  const { entity, filter, zone, isRole } = props;
  const { events, failed, firstTime, lastTime, startTime, endTime, roles } = entity;
  // Beside what says less, titles of alerts would break into many lines.
  const hasAlerts = (entity.alerts ?? []).length > 0;
  const month = fixedRange(Date.parse(startTime), Date.parse(endTime));
  const link = (range: TimeRange, more = '') =>
    exploreHref({ filter: more ? `${filter} AND ${more}` : filter, range });
  return (
    <div className={classes.page}>
      <Section title={t.events} isWide={hasAlerts}>
        <Text size="sm">
          <Anchor component={Link} href={link(ALL)} underline="always">
            {t.eventsText(events)}
          </Anchor>
          {failed > 0 && `, ${t.failed(failed)}`}
          {firstTime && lastTime && `; ${t.seen(formatTime(firstTime, zone), formatTime(lastTime, zone))}`}
        </Text>
        {entity.logBegins && (
          <Text size="xs" c="dimmed">
            {t.knownSince(formatDate(entity.logBegins, zone))}
          </Text>
        )}
      </Section>
      <Section title={t.openAlerts} isWide={hasAlerts}>
        <Alerts entity={entity} zone={zone} />
      </Section>
      {roles && (
        <Section title={isRole ? t.members : t.roles} isWide>
          <Roles entity={entity} roles={roles} zone={zone} isRole={isRole} />
        </Section>
      )}
      {events > 0 && (
        <>
          <Section title={t.usualHours} isWide>
            <UsualHours entity={entity} zone={zone} />
          </Section>
          {entity.related
            .filter(({ count }) => count > 0)
            .map((one) => (
              <Section key={one.field} title={`${labelOf(labels, one.field)}: ${formatCount(one.count)}`}>
                <Related of={one} hrefOf={(text) => link(month, `${one.field}:${text}`)} />
              </Section>
            ))}
        </>
      )}
    </div>
  );
}

const labelOf = (labels: In<typeof FIELD_LABELS>, field: string) =>
  Object.hasOwn(labels, field) ? labels[field as keyof typeof labels] : field;

function Related({
  of,
  hrefOf,
}: {
  readonly of: Entity['related'][number];
  readonly hrefOf: (quotedValue: string) => string;
}) {
  const t = useTexts(ENTITY);
  const { field, values, recent, known, count } = of;
  return (
    <ul className={classes.values}>
      {values.map((value, place) => {
        const page = valuePage(field, value);
        const events = (recent[place] ?? 0) + (known[place] ?? 0);
        return (
          <li key={value}>
            {page ? (
              <Anchor component={Link} href={page} size="sm">
                {showHidden(value)}
              </Anchor>
            ) : (
              <Text span size="sm">
                {showHidden(value)}
              </Text>
            )}
            {known[place] === 0 && <New />}
            <Anchor component={Link} href={hrefOf(quoted(value))} size="xs" c="dimmed">
              {t.eventsText(events)}
            </Anchor>
          </li>
        );
      })}
      {count > values.length && <li>{t.more(count - values.length)}</li>}
    </ul>
  );
}

/** Unseen in the 30 days before the last seven. */
function New() {
  const t = useTexts(ENTITY);
  return (
    <Badge size="xs" radius="sm" tt="none" color="orange" variant="light" title={t.unseen}>
      {t.isNew}
    </Badge>
  );
}

function UsualHours({ entity, zone }: { readonly entity: Entity; readonly zone: TimeZone }) {
  const t = useTexts(ENTITY);
  const clock = clockHours(entity, zone);
  const most = Math.max(1, ...clock.map(({ known, recent }) => known + recent));
  return (
    <table className={classes.hours}>
      <caption className="sr-only">{t.byHour}</caption>
      <tbody>
        <tr>
          {clock.map(({ known, recent }, hour) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is the hour
            <td key={hour} title={t.eventsText(known + recent)}>
              <span
                data-new={recent > 0 && known === 0 ? '' : undefined}
                style={{ height: Math.ceil((40 * (known + recent)) / most) }}
              />
              <span className="sr-only">
                {formatCount(known + recent)}
                {recent > 0 && known === 0 && `, ${t.isNew}`}
              </span>
            </td>
          ))}
        </tr>
        <tr>
          {clock.map((_, hour) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is the hour
            <th key={hour} scope="col">
              {String(hour).padStart(2, '0')}
            </th>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

function Alerts({ entity, zone }: { readonly entity: Entity; readonly zone: TimeZone }) {
  const t = useTexts(ENTITY);
  const { alerts, alertCount } = entity;
  if (!alerts)
    return (
      <Text size="sm" c="dimmed">
        {t.noAlertsRead}
      </Text>
    );
  if (alerts.length === 0) return <Text size="sm">{t.noAlerts}</Text>;
  const severityOf = (text: string) => SEVERITY_NAMES.find((name) => name === text) ?? 'low';
  return (
    <ul className={classes.values}>
      {alerts.map(({ alertId, title, severity, lastEventTime }) => (
        <li key={alertId}>
          <Group gap="xs" wrap="nowrap" align="flex-start" mb={4}>
            <Box miw={64} pt={2}>
              <Severity severity={severityOf(severity)} />
            </Box>
            <div>
              <Anchor component={Link} href={`/alerts/${alertId}`} size="sm">
                <span lang="en">{showHidden(title)}</span>
              </Anchor>{' '}
              <Text span size="xs" c="dimmed">
                {formatTime(lastEventTime, zone)}
              </Text>
            </div>
          </Group>
        </li>
      ))}
      {(alertCount ?? 0) > alerts.length && <li>{t.more((alertCount ?? 0) - alerts.length)}</li>}
    </ul>
  );
}

function Section(props: { readonly title: string; readonly isWide?: boolean; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section className={classes.section} data-wide={props.isWide || undefined} aria-labelledby={id}>
      <h2 id={id}>{props.title}</h2>
      {props.children}
    </section>
  );
}
