import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import {
  PauseReportScheduleDocument,
  RemoveReportScheduleDocument,
  ReportSchedulesDocument,
  ResumeReportScheduleDocument,
  SendReportScheduleNowDocument,
} from '../../generated/operations';
import { describeError } from '../api/errors';
import { ERRORS } from '../api/texts';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { useTimeZone } from '../lib/preferences';
import { chosenOf, TenantChoice } from '../lib/tenant-choice';
import type { NamedTenant } from '../lib/tenant-name';
import { formatTime } from '../lib/time';
import { usePolled } from '../lib/use-polled';
import { Failed } from '../shell/states';
import { ScheduleForm } from './schedule-form';
import { recipientsOf, type Schedule, timesInWords } from './schedule-words';
import { REPORTS } from './texts';

const ASK_MS = 10_000;

/** When reports of a tenant are made and sent. Operators change it; those who read reports see it. */
export function Schedules(props: { readonly tenants: readonly NamedTenant[]; readonly isOperator: boolean }) {
  const t = useTexts(REPORTS);
  const { tenants, isOperator } = props;
  const [chosen, setChosen] = useKept<string | null>('tenant of schedules', null);
  const tenantId = chosenOf(tenants, chosen);
  const {
    data,
    error,
    ask: again,
  } = usePolled({
    query: ReportSchedulesDocument,
    variables: { tenantId: tenantId ?? '' },
    everyMs: ASK_MS,
    isPaused: tenantId === null,
  });
  const [dialog, setDialog] = useKept<{ kind: 'form' | 'remove'; schedule: Schedule | null } | null>(
    'schedule',
    null,
  );
  const close = () => setDialog(null);
  if (tenantId === null) return null;
  const titleOf = (reportId: string) =>
    data?.reportChoices.find((one) => one.reportId === reportId)?.title ?? reportId;
  return (
    <Stack gap="xs" component="section" aria-labelledby="schedules">
      <Group justify="space-between" align="flex-end">
        <Title order={2} size="h4" id="schedules">
          {t.schedules}
        </Title>
        <Group gap="xs">
          <TenantChoice
            aria-label={t.tenantOfSchedules}
            tenants={tenants}
            value={tenantId}
            onChange={setChosen}
          />
          {isOperator && (
            <Button disabled={!data} onClick={() => setDialog({ kind: 'form', schedule: null })}>
              {t.newSchedule}
            </Button>
          )}
        </Group>
      </Group>
      {error && <Failed error={error} retry={again} />}
      {data?.reportSchedules.length === 0 && (
        <Text size="sm">
          {t.noneByItself} {isOperator ? t.aScheduleMakes : t.anOperatorMakes}
        </Text>
      )}
      {data?.reportSchedules.map((schedule) => (
        <ScheduleCard
          key={schedule.scheduleId}
          {...{ schedule, isOperator }}
          title={titleOf(schedule.reportId)}
          onChange={again}
          onOpen={(kind) => setDialog({ kind, schedule })}
        />
      ))}
      {dialog?.kind === 'form' && (
        <ScheduleForm
          tenantId={tenantId}
          reports={data?.reportChoices ?? []}
          schedule={dialog.schedule}
          onClose={close}
          onDone={again}
        />
      )}
      {dialog?.kind === 'remove' && dialog.schedule && (
        <RemoveSchedule schedule={dialog.schedule} onClose={close} onDone={again} />
      )}
    </Stack>
  );
}

function ScheduleCard(props: {
  readonly schedule: Schedule;
  readonly title: string;
  readonly isOperator: boolean;
  readonly onChange: () => void;
  readonly onOpen: (kind: 'form' | 'remove') => void;
}) {
  const t = useTexts(REPORTS);
  const [zone] = useTimeZone();
  const { schedule, title, isOperator, onChange, onOpen } = props;
  const { name, paused, nextRunAt, lastRunAt, pendingRunId, lastError, retryAt } = schedule;
  return (
    <Paper withBorder p="sm" component="article" aria-label={name}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Title order={3} size="h5">
            {name}
          </Title>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {' '}
            <span lang="en">{title}</span> · {timesInWords(schedule, t)} · {recipientsOf(schedule, t)}
          </Text>
        </div>
        <Badge variant="light" tt="none" color={paused ? 'gray' : lastError ? 'red' : 'green'}>
          {paused ? t.paused : lastError ? t.failing : t.active}
        </Badge>
      </Group>
      <Text size="sm" mt={4}>
        {nextRunAt ? t.next(formatTime(nextRunAt, zone)) : t.noRunByItself}
        {` · ${lastRunAt ? t.lastSent(formatTime(lastRunAt, zone)) : t.noneSent}`}
        {pendingRunId && ` · ${t.pending}`}
      </Text>
      {lastError !== null && (
        <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
          {t.error} <span lang="en">{lastError}</span>
          {retryAt && ` ${t.triedAgain(formatTime(retryAt, zone))}`}
        </Text>
      )}
      {isOperator && <Actions schedule={schedule} onChange={onChange} onOpen={onOpen} />}
    </Paper>
  );
}

function Actions(props: {
  readonly schedule: Schedule;
  readonly onChange: () => void;
  readonly onOpen: (kind: 'form' | 'remove') => void;
}) {
  const common = useTexts(COMMON);
  const t = useTexts(REPORTS);
  const { tenantId, scheduleId, name, paused } = props.schedule;
  const errors = useTexts(ERRORS);
  const mutate = useMutate();
  const [said, setSaid] = useState<string | null>(null);
  const run = (work: () => Promise<string | null>) => async () => {
    try {
      setSaid(await work());
      props.onChange();
    } catch (error) {
      setSaid(describeError(error as Error, errors).text);
    }
  };
  const of = { tenantId, scheduleId };
  const pause = run(async () => {
    if (paused) await mutate(ResumeReportScheduleDocument, of);
    else await mutate(PauseReportScheduleDocument, of);
    return null;
  });
  const send = run(async () => {
    await mutate(SendReportScheduleNowDocument, of);
    return t.madeSoon;
  });
  const label = <span className="sr-only"> {name}</span>;
  const small = { size: 'compact-xs', variant: 'default' } as const;
  return (
    <Group gap={6} mt="xs">
      <Button {...small} onClick={send}>
        {t.sendNow}
        {label}
      </Button>
      <Button {...small} onClick={pause}>
        {paused ? common.resume : common.pause}
        {label}
      </Button>
      <Button {...small} onClick={() => props.onOpen('form')}>
        {t.changeIt}
        {label}
      </Button>
      <Button {...small} onClick={() => props.onOpen('remove')}>
        {common.remove}
        {label}
      </Button>
      <Text size="sm" role="status">
        {said}
      </Text>
    </Group>
  );
}

function RemoveSchedule(props: { schedule: Schedule; onClose: () => void; onDone: () => void }) {
  const common = useTexts(COMMON);
  const t = useTexts(REPORTS);
  const { tenantId, scheduleId, name } = props.schedule;
  const mutate = useMutate();
  const submit = async () => {
    await mutate(RemoveReportScheduleDocument, { tenantId, scheduleId });
    props.onDone();
  };
  return (
    <FormDialog
      title={t.remove(name)}
      action={common.remove}
      isDangerous
      isOpen
      onClose={props.onClose}
      onSubmit={submit}
    >
      <Text size="sm">{t.runsStay}</Text>
    </FormDialog>
  );
}
