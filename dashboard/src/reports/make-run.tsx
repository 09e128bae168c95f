import { Checkbox, Text, TextInput } from '@mantine/core';
import { bodyOf, newRunPath, PAGE_HEADER } from '../api/session';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import { serviceNowMs } from '../lib/service-clock';
import { TenantField } from '../lib/tenant-choice';
import type { NamedTenant } from '../lib/tenant-name';
import { DAY_MS, fromInputValue, toInputValue, zoneName } from '../lib/time';
import { labelOf, parametersOf } from './report-parameters';
import { REPORTS } from './texts';

interface Props {
  readonly report: { readonly reportId: string; readonly title: string; readonly needs: readonly string[] };
  readonly tenants: readonly NamedTenant[];
  /** What the form begins with; a time that is not given ends now, and is 30 days before. */
  readonly given?: Readonly<Record<string, string>>;
  readonly onClose: () => void;
  /** @param runId of the run that was made */
  readonly onMade: (runId: string) => void;
}

const PERIOD_MS = 30 * DAY_MS;
const RUN_HEADER = 'X-Report-Run';

/** The dialog that makes a run of a report. */
export function MakeRun({ report, tenants, given, onClose, onMade }: Props) {
  const t = useTexts(REPORTS);
  const { reportId, title, needs } = report;
  const [zone] = useTimeZone();
  const [form, setForm] = useKept<Readonly<Record<string, string>>>(`run ${reportId}`, () => ({
    startTime: toInputValue(serviceNowMs() - PERIOD_MS, zone),
    endTime: toInputValue(serviceNowMs(), zone),
    timeZone: zoneName(zone),
    tenantId: tenants[0]?.tenantId ?? '',
    ...given,
  }));
  const [hasPdf, setHasPdf] = useKept(`pdf ${reportId}`, false);
  const names = parametersOf(reportId, needs);
  const submit = async () => {
    const moment = (name: string) => {
      const ms = fromInputValue(form[name] ?? '', zone);
      return ms === null ? '' : new Date(ms).toISOString();
    };
    const asked = {
      ...Object.fromEntries(
        [...names, 'timeZone', 'tenantId'].map((name) => [name, form[name]?.trim() ?? '']),
      ),
      startTime: moment('startTime'),
      endTime: moment('endTime'),
      format: hasPdf ? 'pdf' : 'json',
    };
    const parameters = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''));
    const runId = await makeRun(reportId, parameters);
    if (runId === null) throw new Error(t.namedNoRun);
    onMade(runId);
  };
  const field = (
    name: string,
    label: string,
    rest: { readonly type?: string; readonly step?: number } = {},
  ) => (
    <TextInput
      key={name}
      label={label}
      value={form[name] ?? ''}
      onChange={(event) => setForm({ ...form, [name]: event.currentTarget.value })}
      {...rest}
    />
  );
  return (
    <FormDialog title={t.makeRunOf(title)} action={t.make} isOpen onClose={onClose} onSubmit={submit}>
      <TenantField
        tenants={tenants}
        value={form.tenantId ?? null}
        onChange={(tenantId) => setForm({ ...form, tenantId })}
      />
      {field('startTime', t.fromIn(zoneName(zone)), { type: 'datetime-local', step: 1 })}
      {field('endTime', t.toIn(zoneName(zone)), { type: 'datetime-local', step: 1 })}
      {field('timeZone', t.zoneOfReport)}
      {needs.length > 0 && <Text size="sm">{t.oneOfThese}</Text>}
      {names.map((name) => field(name, labelOf(name, t)))}
      <Checkbox
        label={t.alsoPdf}
        checked={hasPdf}
        onChange={(event) => setHasPdf(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}

/** Makes a run. Its files are read later. @returns its id; null: the service named none @throws ServiceError */
async function makeRun(reportId: string, parameters: URLSearchParams): Promise<string | null> {
  const response = await fetch(newRunPath(reportId, parameters), { headers: PAGE_HEADER });
  if (!response.ok) await bodyOf(response);
  await response.body?.cancel();
  return response.headers.get(RUN_HEADER);
}
