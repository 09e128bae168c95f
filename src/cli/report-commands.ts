import { type Command, InvalidArgumentError, Option } from 'commander';
import { type OfTenant, tenantOf } from './only-tenant';
import { columnsOf, type Run } from './operations';
import { type OnService, wholeNumber } from './service-command';
import { toTable } from './table';

const COLUMNS = columnsOf(
  'ReportSchedule',
  ...(['scheduleId', 'name', 'reportId', 'cron', 'timeZone', 'nextRunAt', 'lastRunAt', 'lastError'] as const),
);
type Value = string | boolean;

/** `report schedule create`, `update`, `list`, `pause`, `resume`, `remove`, `send-now`. */
export function addReportCommands(report: Command, onService: OnService): void {
  const schedule = report
    .command('schedule')
    .description('when runs of reports are made, and where they are sent');
  const ofTenant = (command: Command) =>
    command.option('--tenant <id>', 'of this tenant (default: the only one)');
  const withSettings = (command: Command) =>
    ofTenant(command)
      .addOption(
        new Option(
          '--every <time>',
          'at 15 minutes past each hour; or at 6:00 each day, each Monday or on the first of each month',
        ).choices(['hourly', 'daily', 'weekly', 'monthly']),
      )
      .option(
        '--cron <expression>',
        'in place of --every: minute, hour, day of the month, month, day of the week',
      )
      .option('--time-zone <zone>', 'of the times, such as Europe/Berlin (default: UTC)')
      .addOption(
        new Option('--period <period>', 'what a run covers; schedule: the time since the run before').choices(
          [...['schedule', 'hour', 'day', 'week', 'month']],
        ),
      )
      .option(
        '--parameter <name=value>',
        'a filter of the report; may be given several times',
        parameter,
        undefined,
      )
      .option('--format <formats...>', 'files that are sent (default: pdf)')
      .option('--email <addresses...>', 'who gets a mail with a link')
      .option('--attach', 'files of up to 10 MB in all come with the mail')
      .option('--no-attach', 'no files come with the mail')
      .option('--destination <destinationId>', 'in place of mail; as `destination list` shows it')
      .option(
        '--keep-days <days>',
        'days that the files of its runs are kept (default, and 0: REPORT_DAYS)',
        wholeNumber,
      );

  onService(
    withSettings(
      schedule.command('create').description('creates a schedule: runs of a report are made and sent'),
    )
      .requiredOption('--name <name>', 'what it is for')
      .requiredOption('--report <reportId>', 'such as log-ons'),
    async (run, options: Settings & { readonly name: string; readonly report: string }) => {
      const { name, report: reportId } = options;
      const tenantId = await tenantOf(run, options);
      const made = await run(
        'createReportSchedule',
        { tenantId, name, reportId, ...settingsOf(options) },
        COLUMNS,
      );
      return { json: made, text: `schedule ${made.scheduleId}: next run at ${made.nextRunAt}` };
    },
  );
  onService(
    withSettings(
      schedule
        .command('update')
        .description('changes a schedule; what is not given stays as it is')
        .argument('<scheduleId>', 'as `report schedule list` shows it'),
    )
      .option('--name <name>', 'what it is for')
      .option('--report <reportId>', 'such as log-ons'),
    async (run, options: Settings & { readonly name?: string; readonly report?: string }, scheduleId) => {
      const { name, report: reportId } = options;
      const tenantId = await tenantOf(run, options);
      const asked = { tenantId, scheduleId, name, reportId, ...settingsOf(options) };
      const made = await run('updateReportSchedule', asked, COLUMNS);
      return { json: made, text: `schedule ${scheduleId}: next run at ${made.nextRunAt ?? 'no time'}` };
    },
  );
  onService(
    ofTenant(schedule.command('list').description('lists the schedules of a tenant')),
    async (run, options: OfTenant) => {
      const all = await run('reportSchedules', { tenantId: await tenantOf(run, options) }, COLUMNS);
      const rows = all.map(
        ({ scheduleId, name, reportId, cron, timeZone, paused, nextRunAt, lastRunAt, lastError }) => ({
          scheduleId,
          name,
          reportId,
          cron,
          timeZone,
          nextRunAt: paused ? 'paused' : nextRunAt,
          lastRunAt,
          lastError,
        }),
      );
      return { json: all, text: toTable(rows) };
    },
  );
  const change = (
    name: string,
    description: string,
    field: 'pauseReportSchedule' | 'resumeReportSchedule' | 'sendReportScheduleNow',
    said: string,
  ) =>
    onService(
      ofTenant(
        schedule
          .command(name)
          .description(description)
          .argument('<scheduleId>', 'as `report schedule list` shows it'),
      ),
      async (run: Run, options: OfTenant, scheduleId: string) => {
        const made = await run(field, { tenantId: await tenantOf(run, options), scheduleId }, COLUMNS);
        return { json: made, text: `schedule ${scheduleId} ${said}` };
      },
    );
  change('pause', 'pauses a schedule: no run is made by itself', 'pauseReportSchedule', 'is paused');
  change('resume', 'lets a schedule go on from its next time', 'resumeReportSchedule', 'goes on');
  change(
    'send-now',
    'makes a run of a schedule and sends it, soon',
    'sendReportScheduleNow',
    'has a run soon; `report schedule list` shows what became of it',
  );
  onService(
    ofTenant(
      schedule
        .command('remove')
        .description('removes a schedule; its runs stay')
        .argument('<scheduleId>', 'as `report schedule list` shows it'),
    ),
    async (run, options: OfTenant, scheduleId) => {
      const removed = await run('removeReportSchedule', {
        tenantId: await tenantOf(run, options),
        scheduleId,
      });
      return { json: { scheduleId, removed }, text: `schedule ${scheduleId} is removed` };
    },
  );
}

interface Settings extends OfTenant {
  readonly every?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly period?: string;
  readonly parameter?: Readonly<Record<string, Value>>;
  readonly format?: readonly string[];
  readonly email?: readonly string[];
  readonly attach?: boolean;
  readonly destination?: string;
  readonly keepDays?: number;
}

function settingsOf(options: Settings) {
  const {
    every,
    cron,
    timeZone,
    period,
    parameter: parameters,
    format,
    email,
    attach,
    destination,
    keepDays,
  } = options;
  return {
    every,
    cron,
    timeZone,
    period,
    parameters,
    formats: format,
    emails: email,
    attach,
    destinationId: destination,
    keepDays,
  };
}

/** `objectName=Employees`; `succeeded` is true or false. */
function parameter(given: string, before: Readonly<Record<string, Value>> | undefined) {
  const [, name = '', value = ''] = /^([A-Za-z]+)=(.*)$/s.exec(given) ?? [];
  if (name === '') throw new InvalidArgumentError('It must be NAME=VALUE.');
  if (name !== 'succeeded') return { ...before, [name]: value };
  if (value !== 'true' && value !== 'false')
    throw new InvalidArgumentError('succeeded must be true or false.');
  return { ...before, [name]: value === 'true' };
}
