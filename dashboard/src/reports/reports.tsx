import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { ReportsDocument, type ReportsQuery, TenantsDocument } from '../../generated/operations';
import type { Session } from '../api/session';
import { showHidden } from '../explore/event/marks';
import { textsAddress } from '../lib/address';
import { counted } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { nameOf } from '../lib/tenant-name';
import { formatTime } from '../lib/time';
import { useAddress } from '../lib/use-address';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import { MakeRun } from './make-run';
import { RunPage } from './run-page';
import { Schedules } from './schedules';

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
  const [{ data, error }, ask] = useQuery({ query: TenantsDocument });
  return (
    <Stack gap="sm">
      <PageHead title="Reports" />
      {error && <Failed error={error} retry={ask} />}
      {!data && !error && <Loading what="the schedules" />}
      {data?.tenants.length === 0 && <Empty title="No tenant yet: make one under Tenants" />}
      {data && <Schedules tenants={data.tenants} isOperator />}
    </Stack>
  );
}

function Catalogue({ session }: { readonly session: Session }) {
  const [, setGiven] = useAddress(ADDRESS);
  const [{ data, error }, ask] = useQuery({ query: ReportsDocument });
  const [making, setMaking] = useState<Report | null>(null);
  return (
    <Stack gap="sm">
      <PageHead title="Reports" />
      {error && <Failed error={error} retry={ask} />}
      {!data && !error && <Loading what="the reports" />}
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
  const [zone] = useTimeZone();
  const { report, session, onMake } = props;
  return (
    <Paper withBorder p="sm" component="article" aria-label={report.title}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Title order={2} size="h5">
            {report.title}
          </Title>
          <Text size="sm" c="dimmed">
            {report.about}
          </Text>
        </div>
        <Button
          size="xs"
          variant="default"
          style={{ flexShrink: 0 }}
          aria-label={`Make a run: ${report.title}`}
          onClick={onMake}
        >
          Make a run
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
              {counted(run.rows, 'row')}, {formatTime(run.startTime, zone)} – {formatTime(run.endTime, zone)},
              by {showHidden(run.createdBy)}
              {session.tenants.length > 1 && `, ${showHidden(nameOf(session.tenants, run.tenantId))}`}
            </Text>
          ))}
        </ul>
      )}
    </Paper>
  );
}
