import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { ComplianceLineDocument, OverviewDocument } from '../../generated/operations';
import { hasScope } from '../api/rights';
import type { Session } from '../api/session';
import { textsAddress } from '../lib/address';
import { useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import { useAddress } from '../lib/use-address';
import { useNow } from '../lib/use-now';
import { usePolled } from '../lib/use-polled';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import { Cards, Completeness, Incidents, weekText } from './cards';
import { HeatMap } from './heat-map';
import { Newcomers } from './newcomers';
import classes from './overview.module.css';
import { ServersChart } from './servers-chart';
import { OVERVIEW } from './texts';
import { neighbour } from './week';

const ASK_MS = 60_000;
const ADDRESS = textsAddress(['end']);

/** The first page: a week at a glance. Every number leads to the events that it counts. */
export default function OverviewPage({ session }: { readonly session: Session }) {
  const t = useTexts(OVERVIEW);
  const [zone] = useTimeZone();
  const nowMs = useNow(ASK_MS);
  const [{ end }, change] = useAddress(ADDRESS);
  const { data, error, isBusy, ask } = usePolled({
    query: OverviewDocument,
    variables: { endTime: end },
    // A week that is over stays as it is.
    everyMs: end === null ? ASK_MS : null,
  });
  const overview = data?.overview;
  const show = (time: string | null) => change((now) => ({ ...now, end: time }));
  return (
    <>
      <PageHead title={t.title}>
        {overview && (
          <Group gap={4} wrap="nowrap">
            <Step label={t.weekBefore} onClick={() => show(neighbour(overview, -1, nowMs))}>
              <IconChevronLeft size={18} aria-hidden />
            </Step>
            <Text size="sm" aria-live="polite">
              {weekText(overview, zone)}
            </Text>
            <Step
              label={t.weekAfter}
              isOff={end === null}
              onClick={() => show(neighbour(overview, 1, nowMs))}
            >
              <IconChevronRight size={18} aria-hidden />
            </Step>
          </Group>
        )}
      </PageHead>
      {error && <Failed error={error} retry={ask} />}
      {!overview && !error && <Loading what={t.loading} rows={4} height={150} />}
      {overview && overview.all.events === 0 && (
        <Empty title={t.noEvents}>
          {overview.newestTime ? (
            <Button variant="default" onClick={() => show(newest(overview.newestTime))}>
              {t.showNewest(formatTime(overview.newestTime, zone))}
            </Button>
          ) : (
            <Text size="sm">{t.noneYet}</Text>
          )}
        </Empty>
      )}
      {overview && (
        <div className={classes.overview} aria-busy={isBusy}>
          {overview.incidents && (
            <Section title={t.openIncidents}>
              <Incidents incidents={overview.incidents} nowMs={nowMs} />
            </Section>
          )}
          <Section title={t.state}>
            <Completeness overview={overview} />
            {hasScope(session, 'read:compliance') && <Compliance />}
          </Section>
          <Section title={t.numbers} isWide>
            <Cards overview={overview} />
          </Section>
          {overview.all.events > 0 && (
            <>
              <Section title={t.byServer}>
                <ServersChart overview={overview} zone={zone} />
              </Section>
              <Section title={t.newcomers}>
                <Newcomers overview={overview} zone={zone} />
              </Section>
              <Section title={t.byHour} isWide>
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
  const t = useTexts(OVERVIEW);
  const [{ data }] = useQuery({ query: ComplianceLineDocument });
  const found = data?.complianceSummary;
  if (!found) return null;
  const { pass, fail, unknown, instanceCount } = found;
  return (
    <Text size="sm">
      <Link href="/compliance" className={classes.line} data-state={fail > 0 ? 'lacks' : 'whole'}>
        {t.compliance(pass, fail, unknown, instanceCount)}
      </Link>
    </Text>
  );
}
