import { Checkbox, Group, NativeSelect, NumberInput, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from 'urql';
import { LIMITS } from '../../../src/limits';
import {
  CreateReportScheduleDocument,
  type ReportSchedulesQuery,
  TenantDestinationsDocument,
  UpdateReportScheduleDocument,
} from '../../generated/operations';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { type Recipient, recipientOf } from '../lib/recipient';
import { RecipientFields } from '../lib/recipient-fields';
import { zoneName, zoneNames } from '../lib/time';
import { labelOf, parametersOf } from './report-parameters';
import { type Schedule, TIMES } from './schedule-words';
import { REPORTS } from './texts';

interface Props {
  readonly tenantId: string;
  readonly reports: ReportSchedulesQuery['reportChoices'];
  /** Null: a new one is made. */
  readonly schedule: Schedule | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const ZONES = ['UTC', ...zoneNames()];
const OWN_TIMES = 'cron';

/** The dialog that makes or changes a schedule of a report. */
export function ScheduleForm({ tenantId, reports, schedule, onClose, onDone }: Props) {
  const common = useTexts(COMMON);
  const t = useTexts(REPORTS);
  const mutate = useMutate();
  const [{ data }] = useQuery({ query: TenantDestinationsDocument, variables: { tenantId } });
  const destinations = data?.destinations ?? [];
  const [form, setForm] = useKept('schedule form', () => beginningOf(schedule, reports[0]?.reportId ?? ''));
  const set = (change: Partial<typeof form>) => setForm((now) => ({ ...now, ...change }));
  const { needs = [], formats = [] } = reports.find(({ reportId }) => reportId === form.reportId) ?? {};
  const names = parametersOf(form.reportId, needs);
  const periods = [
    { value: '', label: t.withTimes },
    { value: 'hour', label: t.theHour },
    { value: 'day', label: t.theDay },
    { value: 'week', label: t.theWeek },
    { value: 'month', label: t.theMonth },
    { value: 'schedule', label: t.sinceBefore },
  ];
  const submit = async () => {
    const typed = names.map((name) => [name, String(form.parameters[name] ?? '').trim()] as const);
    // What this form has no field for stays as it is.
    const others = Object.entries(form.parameters).filter(
      ([name]) => form.reportId === schedule?.reportId && !names.includes(name),
    );
    const given = {
      tenantId,
      name: form.name,
      reportId: form.reportId,
      ...(form.every === OWN_TIMES ? { every: null, cron: form.cron } : { every: form.every, cron: null }),
      timeZone: form.timeZone,
      period: form.period || null,
      parameters: Object.fromEntries([...others, ...typed.filter(([, value]) => value !== '')]),
      formats: form.formats,
      ...recipientOf(form, destinations),
      attach: form.to === 'email' && form.attach,
      // Null would leave those of before.
      keepDays: Number(form.keepDays),
    };
    if (schedule) await mutate(UpdateReportScheduleDocument, { ...given, scheduleId: schedule.scheduleId });
    else await mutate(CreateReportScheduleDocument, given);
    onDone();
  };
  return (
    <FormDialog
      title={schedule ? t.change(schedule.name) : t.newSchedule}
      action={common.save}
      isOpen
      isWide
      onClose={onClose}
      onSubmit={submit}
    >
      {(problems) => (
        <>
          <TextInput
            label={common.name}
            withAsterisk
            data-autofocus
            maxLength={LIMITS.nameCharsMax}
            error={problems.name}
            value={form.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <NativeSelect
            label={t.report}
            error={problems.reportId}
            data={reports.map(({ reportId, title }) => ({ value: reportId, label: title }))}
            value={form.reportId}
            onChange={(event) => set({ reportId: event.currentTarget.value })}
          />
          {needs.length > 0 && <Text size="sm">{t.oneOfThese}</Text>}
          {names.map((name) => (
            <TextInput
              key={name}
              label={labelOf(name, t)}
              error={problems[name]}
              value={String(form.parameters[name] ?? '')}
              onChange={(event) =>
                set({ parameters: { ...form.parameters, [name]: event.currentTarget.value } })
              }
            />
          ))}
          <Group grow align="flex-start">
            <NativeSelect
              label={t.itIsMade}
              error={problems.every}
              data={[
                ...TIMES.map((value) => ({ value, label: t[value] })),
                { value: OWN_TIMES, label: t.atOwnTimes },
              ]}
              value={form.every}
              onChange={(event) => set({ every: event.currentTarget.value })}
            />
            <Select
              label={t.timeZone}
              error={problems.timeZone}
              allowDeselect={false}
              searchable
              limit={100}
              data={ZONES.includes(form.timeZone) ? ZONES : [form.timeZone, ...ZONES]}
              value={form.timeZone}
              onChange={(timeZone) => set({ timeZone: timeZone ?? 'UTC' })}
            />
          </Group>
          {form.every === OWN_TIMES && (
            <TextInput
              label={t.times}
              description={t.cronFields}
              error={problems.cron}
              value={form.cron}
              onChange={(event) => set({ cron: event.currentTarget.value })}
            />
          )}
          <NativeSelect
            label={t.itCovers}
            error={problems.period}
            data={periods}
            value={form.period}
            onChange={(event) => set({ period: event.currentTarget.value })}
          />
          <RecipientFields
            label={t.itIsSent}
            value={form}
            onChange={set}
            destinations={destinations}
            problems={problems}
            hints={{
              email: t.mailWithLinks,
              destination: t.getsMessage,
            }}
            email={
              <Checkbox
                label={t.attached}
                error={problems.attach}
                checked={form.attach}
                onChange={(event) => set({ attach: event.currentTarget.checked })}
              />
            }
          />
          <Checkbox.Group
            label={t.files}
            error={problems.formats}
            value={form.formats}
            onChange={(formats) => set({ formats })}
          >
            <Group mt={4}>
              {formats.map((format) => (
                <Checkbox key={format} value={format} label={format.toUpperCase()} />
              ))}
            </Group>
          </Checkbox.Group>
          <NumberInput
            label={t.daysKept}
            placeholder={t.asOthers}
            error={problems.keepDays}
            min={1}
            max={LIMITS.reportDaysMax}
            value={form.keepDays}
            onChange={(keepDays) => set({ keepDays })}
          />
        </>
      )}
    </FormDialog>
  );
}

const beginningOf = (schedule: Schedule | null, reportId: string) => ({
  name: schedule?.name ?? '',
  reportId: schedule?.reportId ?? reportId,
  every: schedule ? (schedule.every ?? OWN_TIMES) : 'weekly',
  cron: schedule?.every === null ? schedule.cron : '',
  timeZone: schedule?.timeZone ?? zoneName('local'),
  period: schedule && !isUsual(schedule) ? schedule.period : '',
  parameters: (schedule?.parameters ?? {}) as Readonly<Record<string, unknown>>,
  to: (schedule?.destinationId ? 'destination' : 'email') as Recipient['to'],
  emails: schedule?.emails.join('\n') ?? '',
  attach: schedule?.attach ?? false,
  destinationId: schedule?.destinationId ?? '',
  formats: [...(schedule?.formats ?? ['pdf'])],
  keepDays: (schedule?.keepDays ?? '') as number | string,
});

const USUAL: Readonly<Record<string, string>> = {
  hourly: 'hour',
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
};
/** Whether the period is the one that goes with the times. */
const isUsual = ({ every, period }: Schedule): boolean =>
  period === (every === null ? 'schedule' : USUAL[every]);
