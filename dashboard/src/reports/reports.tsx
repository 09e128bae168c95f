import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { ReportsDocument, type ReportsQuery, TenantsDocument } from '../../generated/operations';
import type { Session } from '../api/session';
import { showHidden } from '../explore/event/marks';
import { textsAddress } from '../lib/address';
import { COMMON } from '../lib/common';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import { nameOf } from '../lib/tenant-name';
import { formatTime } from '../lib/time';
import { useAddress } from '../lib/use-address';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import { MakeRun } from './make-run';
import { RunPage } from './run-page';
import { Schedules } from './schedules';
import { REPORTS } from './texts';

type Report = ReportsQuery['reports']['items'][number];
const ADDRESS = textsAddress(['run']);

/** The catalogue of reports with its newest runs, or one run. */
export default function Reports({ session }: { readonly session: Session }) {
  const [{ run }] = useAddress(ADDRESS);
  if (run !== null) return <RunPage key={run} runId={run} session={session} />;
  return session.kind === 'operator' ? <OfOperators /> : <Catalogue session={session} />;
}

/** Operators read no reports: they say when reports are made, and who gets them. */
function OfOperators() {
  const common = useTexts(COMMON);
  const t = useTexts(REPORTS);
  const [{ data, error }, ask] = useQuery({ query: TenantsDocument });
  return (
    <Stack gap="sm">
      <PageHead title={t.reports} />
      {error && <Failed error={error} retry={ask} />}
      {!data && !error && <Loading what={t.theSchedules} />}
      {data?.tenants.length === 0 && <Empty title={common.noTenant} />}
      {data && <Schedules tenants={data.tenants} isOperator />}
    </Stack>
  );
}

function Catalogue({ session }: { readonly session: Session }) {
  const t = useTexts(REPORTS);
  const [, setGiven] = useAddress(ADDRESS);
  const [{ data, error }, ask] = useQuery({ query: ReportsDocument });
  const [making, setMaking] = useKept<Report | null>('making', null);
  return (
    <Stack gap="sm">
      <PageHead title={t.reports} />
      {error && <Failed error={error} retry={ask} />}
      {!data && !error && <Loading what={t.theReports} />}
      {data?.reports.items.map((report) => (
        <ReportCard
          key={report.reportId}
          report={report}
          session={session}
          onMake={() => setMaking(report)}
        />
      ))}
      {data && <Schedules tenants={session.tenants} isOperator={false} />}
      {making && (
        <MakeRun
          report={making}
          tenants={session.tenants}
          onClose={() => setMaking(null)}
          onMade={(run) => setGiven(() => ({ run }))}
        />
      )}
    </Stack>
  );
}

function ReportCard(props: {
  readonly report: Report;
  readonly session: Session;
  readonly onMake: () => void;
}) {
  const t = useTexts(REPORTS);
  const [zone] = useTimeZone();
  const { report, session, onMake } = props;
  return (
    <Paper withBorder p="sm" component="article" aria-label={report.title}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Title order={2} size="h5" lang="en">
            {report.title}
          </Title>
          <Text size="sm" c="dimmed" lang="en">
            {report.about}
          </Text>
        </div>
        <Button
          variant="default"
          style={{ flexShrink: 0 }}
          aria-label={t.makeRunOf(report.title)}
          onClick={onMake}
        >
          {t.makeRun}
        </Button>
      </Group>
      {report.runs.length > 0 && (
        <ul style={{ margin: '6px 0 0', paddingInlineStart: 20 }}>
          {report.runs.map((run) => (
            <Text component="li" size="sm" key={run.runId} style={{ overflowWrap: 'anywhere' }}>
              <Anchor
                component={Link}
                inherit
                underline="always"
                href={`/reports?${ADDRESS.format({ run: run.runId })}`}
              >
                {formatTime(run.createdAt, zone)}
              </Anchor>
              {': '}
              {t.run(
                run.rows,
                formatTime(run.startTime, zone),
                formatTime(run.endTime, zone),
                showHidden(run.createdBy),
              )}
              {session.tenants.length > 1 && `, ${showHidden(nameOf(session.tenants, run.tenantId))}`}
            </Text>
          ))}
        </ul>
      )}
    </Paper>
  );
}
