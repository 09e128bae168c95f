import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { ComplianceLineDocument, OverviewDocument } from '../../generated/operations';
import { hasScope } from '../api/rights';
import type { Session } from '../api/session';
import { textsAddress } from '../lib/address';
import { formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import { useAddress } from '../lib/use-address';
import { useNow } from '../lib/use-now';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import { Cards, Completeness, Incidents, weekText } from './cards';
import { HeatMap } from './heat-map';
import { Newcomers } from './newcomers';
import classes from './overview.module.css';
import { ServersChart } from './servers-chart';
import { neighbour } from './week';

const ASK_MS = 60_000;
const ADDRESS = textsAddress(['end']);

/** The first page: a week at a glance. Every number leads to the events that it counts. */
export default function OverviewPage({ session }: { readonly session: Session }) {
  const [zone] = useTimeZone();
  const nowMs = useNow(ASK_MS);
  const [{ end }, change] = useAddress(ADDRESS);
  const [{ data, error, stale, fetching }, ask] = useQuery({
    query: OverviewDocument,
    variables: { endTime: end },
  });
  useInterval(() => end === null && !document.hidden && ask(), ASK_MS, { autoInvoke: true });
  const overview = data?.overview;
  const show = (time: string | null) => change((now) => ({ ...now, end: time }));
  return (
    <>
      <PageHead title="Overview">
        {overview && (
          <Group gap={4} wrap="nowrap">
            <Step label="The week before" onClick={() => show(neighbour(overview, -1, nowMs))}>
              <IconChevronLeft size={18} aria-hidden />
            </Step>
            <Text size="sm" aria-live="polite">
              {weekText(overview, zone)}
            </Text>
            <Step
              label="The week after"
              isOff={end === null}
              onClick={() => show(neighbour(overview, 1, nowMs))}
            >
              <IconChevronRight size={18} aria-hidden />
            </Step>
          </Group>
        )}
      </PageHead>
      {error && <Failed error={error} retry={() => ask()} />}
      {!overview && !error && <Loading what="the overview" />}
      {overview && overview.all.events === 0 && (
        <Empty title="No event is from this week">
          {overview.newestTime ? (
            <Button variant="default" onClick={() => show(newest(overview.newestTime))}>
              Show the week of the newest event, {formatTime(overview.newestTime, zone)}
            </Button>
          ) : (
            <Text size="sm">
              No event has arrived yet. Operators see under Start what is still to be done.
            </Text>
          )}
        </Empty>
      )}
      {overview && (
        <div className={classes.overview} aria-busy={stale || fetching}>
          {overview.incidents && (
            <Section title="Open incidents">
              <Incidents incidents={overview.incidents} nowMs={nowMs} />
            </Section>
          )}
          <Section title="State">
            <Completeness overview={overview} />
            {hasScope(session, 'read:compliance') && <Compliance />}
          </Section>
          <Section title="Numbers" isWide>
            <Cards overview={overview} />
          </Section>
          {overview.all.events > 0 && (
            <>
              <Section title="Events by server">
                <ServersChart overview={overview} zone={zone} />
              </Section>
              <Section title="Seen for the first time in 30 days">
                <Newcomers overview={overview} zone={zone} />
              </Section>
              <Section title="Events by weekday and hour" isWide>
                <HeatMap overview={overview} zone={zone} />
              </Section>
            </>
          )}
        </div>
      )}
    </>
  );
}

/** A moment in the hour that ends at a time. */
const newest = (time: string | null | undefined) =>
  time ? new Date(Date.parse(time) - 1).toISOString() : null;

function Step(props: {
  readonly label: string;
  readonly isOff?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  const { label, isOff = false, onClick, children } = props;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      c="inherit"
      size={28}
      aria-label={label}
      disabled={isOff}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  );
}

function Section(props: { readonly title: string; readonly isWide?: boolean; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section className={classes.section} data-wide={props.isWide || undefined} aria-labelledby={id}>
      <h2 id={id} className={classes.title}>
        {props.title}
      </h2>
      {props.children}
    </section>
  );
}

/** How all controls stand, in one line. It is asked for by itself, since an assessment reads much. */
function Compliance() {
  const [{ data }] = useQuery({ query: ComplianceLineDocument });
  const found = data?.complianceSummary;
  if (!found) return null;
  const { pass, fail, unknown, instanceCount } = found;
  return (
    <Text size="sm">
      <Link href="/compliance" className={classes.line} data-state={fail > 0 ? 'lacks' : 'whole'}>
        Compliance: {formatCount(pass)} pass, {formatCount(fail)} fail, {formatCount(unknown)} unknown on{' '}
        {formatCount(instanceCount)} {instanceCount === 1 ? 'server instance' : 'server instances'}
      </Link>
    </Text>
  );
}
