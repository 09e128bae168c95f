import { Anchor, Button, Code, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { ReportRunDocument, type ReportRunQuery } from '../../generated/operations';
import { bodyOf, PAGE_HEADER, runFilePath, type Session } from '../api/session';
import { ProveButton } from '../evidence/prove-button';
import { showHidden } from '../explore/event/marks';
import { COMMON } from '../lib/common';
import { FieldRow } from '../lib/field-row';
import { useTexts } from '../lib/language';
import { formatBytes, formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { saveFile } from '../lib/save-file';
import { nameOf } from '../lib/tenant-name';
import { formatTime } from '../lib/time';
import { Empty, Failed, Loading } from '../shell/states';
import { runQuestion } from './run-question';
import { REPORTS } from './texts';

type Run = NonNullable<ReportRunQuery['reportRun']>;
const RUN_FILE = 'run.json';

/** One run: what was asked, its files, and how to verify them. */
export function RunPage({ runId, session }: { readonly runId: string; readonly session: Session }) {
  const t = useTexts(REPORTS);
  const [{ data, error }, ask] = useQuery({ query: ReportRunDocument, variables: { runId } });
  if (error) return <Failed error={error} retry={ask} />;
  if (!data) return <Loading what={t.theRun} />;
  const run = data.reportRun;
  return (
    <Stack gap="md">
      <Anchor component={Link} href="/reports" size="sm">
        {t.allReports}
      </Anchor>
      {run ? <Found run={run} session={session} /> : <Empty title={t.noSuchRun} />}
    </Stack>
  );
}

function Found({ run, session }: { readonly run: Run; readonly session: Session }) {
  const common = useTexts(COMMON);
  const t = useTexts(REPORTS);
  const [zone] = useTimeZone();
  const question = runQuestion(run.manifest);
  return (
    <>
      <Group gap="xs">
        <Title order={1} size="h3" lang="en">
          {run.title}
        </Title>
        {question && (
          <ProveButton
            session={session}
            filter={question}
            tenantId={run.tenantId}
            reason={`report ${run.reportId}, run ${run.number}`}
            label={common.proveItsEvents}
          />
        )}
      </Group>
      <Table fz="sm">
        <Table.Tbody>
          <FieldRow label={t.period}>
            {t.shownIn(formatTime(run.startTime, zone, 3), formatTime(run.endTime, zone, 3), run.timeZone)}
          </FieldRow>
          <FieldRow label={t.rows}>{formatCount(run.rows)}</FieldRow>
          <FieldRow label={t.made}>
            {t.madeBy(
              formatTime(run.createdAt, zone),
              showHidden(run.createdBy),
              run.number,
              showHidden(nameOf(session.tenants, run.tenantId)),
            )}
          </FieldRow>
          <FieldRow label={t.keptUntil}>{formatTime(run.expiresAt, zone)}</FieldRow>
          <FieldRow label={t.logThen}>{t.entries(run.logSize)}</FieldRow>
          <FieldRow label={t.id}>{run.runId}</FieldRow>
        </Table.Tbody>
      </Table>
      <Files run={run} />
      <section aria-labelledby="verify">
        <Title order={2} size="h5" id="verify" mb="xs">
          {t.verify}
        </Title>
        <Text size="sm" mb="xs">
          {t.howToVerify}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={() => saveFile(signedOf(run))}>
            {t.whatIsSigned}
          </Button>
          <Code>{`audit-activity verify --report ${RUN_FILE}`}</Code>
        </Group>
      </section>
    </>
  );
}

/** What the command reads: the answer of `GET /reports/runs/{runId}`. */
const signedOf = (run: Run) => ({
  name: RUN_FILE,
  content: new Blob([JSON.stringify({ data: run }, null, 2)], { type: 'application/json' }),
});

function Files({ run }: { readonly run: Run }) {
  const t = useTexts(REPORTS);
  const [busy, setBusy] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const save = async ({ format, name }: Run['files'][number]) => {
    setBusy(format);
    setError(null);
    try {
      const response = await fetch(runFilePath(run.runId, format), { headers: PAGE_HEADER });
      if (!response.ok) await bodyOf(response);
      saveFile({ name, content: await response.blob() });
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setBusy(null);
    }
  };
  return (
    <section aria-labelledby="files">
      <Title order={2} size="h5" id="files" mb="xs">
        {t.files}
      </Title>
      {error && <Failed error={error} />}
      {run.files.length === 0 && <Text size="sm">{t.wereRemoved}</Text>}
      {run.files.map((file) => (
        <Group key={file.format} gap="xs" mb={6}>
          <Button
            variant="default"
            w={80}
            loading={busy === file.format}
            disabled={busy !== null}
            onClick={() => save(file)}
          >
            {file.format.toUpperCase()}
          </Button>
          <Text size="sm">{formatBytes(file.bytes)}</Text>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {`SHA-256 ${file.sha256}`}
          </Text>
        </Group>
      ))}
    </section>
  );
}
