import type { Cell } from '../../csv';
import type { Column, Table } from './document';
import { gapsIn, type Source } from './gaps';

/** The rows of a report on what the service knows beside events. */
export interface StateRows {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  readonly sections: readonly Table[];
}

const text = (name: string, title: string): Column => ({ name, title, kind: 'text' });
const time = (name: string, title: string): Column => ({ name, title, kind: 'time' });
const number = (name: string, title: string): Column => ({ name, title, kind: 'number' });

const SOURCE_COLUMNS = [
  ...[text('hostName', 'Host'), text('databaseName', 'Database'), text('state', 'State')],
  ...[time('lastEventTime', 'Newest event'), time('completeThrough', 'Complete through')],
  ...[
    number('lagSeconds', 'Lag in seconds'),
    number('gapCount', 'Gaps'),
    time('lastReported', 'Last reported'),
  ],
];

/** How far a source was behind in the period. Null: nothing was noted. */
export interface Lag {
  readonly hostName: string;
  readonly databaseName: string;
  readonly minutes: number;
  readonly p50Seconds: number | null;
  readonly p99Seconds: number | null;
  readonly worstSeconds: number | null;
}
interface LogHealth {
  readonly size: number;
  readonly waitingEvents: number;
  readonly refusedEvents: number;
  readonly problem: string | null;
}
export interface Verification {
  readonly begunAt: Date;
  readonly endedAt: Date;
  readonly entries: number;
  readonly wrong: number;
  readonly problem: string | null;
}
interface Removal {
  readonly from: Date;
  readonly to: Date;
  readonly events: number;
  readonly lastRunAt: Date;
}

/** What was noted of a tenant's trail. */
interface Noted {
  readonly removals: readonly Removal[];
  readonly verifications: readonly Verification[];
  readonly lags: readonly Lag[];
}

export const sourceRows = (
  sources: readonly Source[],
  { startTime, endTime }: { readonly startTime: string; readonly endTime: string },
  log: LogHealth,
  { removals, verifications, lags }: Noted,
): StateRows => ({
  columns: SOURCE_COLUMNS,
  rows: sources.map((source) => [
    ...[source.hostName, source.databaseName, source.state, source.lastEventTime, source.completeThrough],
    ...[source.lagSeconds, source.gapCount, source.lastReported],
  ]),
  sections: [
    {
      kind: 'table',
      title: 'Gaps in the period',
      columns: [
        ...[text('hostName', 'Host'), text('databaseName', 'Database'), text('reason', 'Reason')],
        ...[time('afterTime', 'After'), time('beforeTime', 'Before')],
      ],
      rows: gapsIn(sources, startTime, endTime).map((gap) => [
        ...[gap.hostName, gap.databaseName, gap.reason, gap.afterTime, gap.beforeTime],
      ]),
      more: 0,
    },
    {
      kind: 'table',
      title: 'Lag in the period, noted each minute',
      columns: [
        ...[text('hostName', 'Host'), text('databaseName', 'Database'), number('minutes', 'Minutes')],
        number('p50Seconds', 'Half of them at most (s)'),
        number('p99Seconds', '99 % of them at most (s)'),
        number('worstSeconds', 'Worst (s)'),
      ],
      rows: lags.map(({ hostName, databaseName, minutes, p50Seconds, p99Seconds, worstSeconds }) => [
        ...[hostName, databaseName, minutes, p50Seconds, p99Seconds, worstSeconds],
      ]),
      more: 0,
    },
    {
      kind: 'table',
      title: 'Evidence log',
      columns: [
        ...[number('size', 'Entries'), number('waiting', 'Events that wait'), number('refused', 'Refused')],
        text('problem', 'Problem'),
      ],
      rows: [[log.size, log.waitingEvents, log.refusedEvents, log.problem]],
      more: 0,
    },
    {
      kind: 'table',
      title: 'Verifications in the period',
      columns: [
        ...[time('begunAt', 'Begun'), time('endedAt', 'Ended'), number('entries', 'Entries')],
        ...[number('wrong', 'Altered or missing'), text('problem', 'Problem')],
      ],
      rows: verifications.map(({ begunAt, endedAt, entries, wrong, problem }) => [
        ...[begunAt.toISOString(), endedAt.toISOString(), entries, wrong, problem],
      ]),
      more: 0,
    },
    {
      kind: 'table',
      title: 'Removed by retention',
      columns: [
        ...[
          time('lastRunAt', 'Last run'),
          time('from', 'From'),
          time('to', 'To'),
          number('events', 'Events'),
        ],
      ],
      rows: removals.map(({ lastRunAt, from, to, events }) => [
        ...[lastRunAt.toISOString(), from.toISOString(), to.toISOString(), events],
      ]),
      more: 0,
    },
  ],
});

/** A control on a server instance. */
export interface ControlRow {
  readonly frameworkId: string;
  readonly controlId: string;
  readonly title: string;
  readonly serverInstanceName: string;
  readonly databaseName: string | null;
  readonly status: string;
  readonly since: string | null;
  readonly evaluatedThrough: string | null;
  readonly reason: string;
}

const CONTROL_COLUMNS = [
  ...[text('frameworkId', 'Framework'), text('controlId', 'Control'), text('title', 'Title')],
  ...[text('serverInstanceName', 'Server'), text('databaseName', 'Database'), text('status', 'Status')],
  ...[time('since', 'Since'), time('evaluatedThrough', 'Evaluated through'), text('reason', 'Reason')],
];
const STATUSES = ['pass', 'fail', 'unknown', 'not_applicable'];

export function controlRows(items: readonly ControlRow[]): StateRows {
  const frameworks = [...new Set(items.map(({ frameworkId }) => frameworkId))].sort();
  const count = (framework: string, status: string) =>
    items.filter((item) => item.frameworkId === framework && item.status === status).length;
  return {
    columns: CONTROL_COLUMNS,
    rows: items.map((item) => [
      ...[item.frameworkId, item.controlId, item.title, item.serverInstanceName, item.databaseName],
      ...[item.status, item.since, item.evaluatedThrough, item.reason],
    ]),
    sections: [
      {
        kind: 'table',
        title: 'By framework',
        columns: [
          text('frameworkId', 'Framework'),
          ...STATUSES.map((status) => number(status, status.replace('_', ' '))),
        ],
        rows: frameworks.map((framework) => [
          framework,
          ...STATUSES.map((status) => count(framework, status)),
        ]),
        more: 0,
      },
    ],
  };
}
