import type { FairShare } from '../../caller/rate-limit/fair-share';
import { DomainError, refusal } from '../../errors';
import { ofActions, ROLE_CHANGE_ACTIONS } from '../../event/action-names';
import { parseTicks, TICKS_PER_MS } from '../../event/event-time';
import { allOf, type Expression, termsOf } from '../../event/expression/expression';
import { type AnyField, isLifted, type LiftedName } from '../../event/fields';
import type { TextForm } from '../../event/marks';
import type { ParameterValues } from '../../event/parameter-specs';
import { LOGIN_RENAMES, PRINCIPAL_DROPS } from '../../event/principals';
import { type AuditEventFilter, toSummaryFilter } from '../../event/query';
import type { DeclaredHours } from '../../event/working-hours';
import { LIMITS } from '../../limits';
import type { NoteSigner } from '../../store/log/evidence/note-key';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import type { EventValues } from '../../store/rows/event-values';
import { maskedEvent } from '../../store/rows/masked';
import { oneTenant, type TenantSet, tenantMeant } from '../../tenant-set';
import { ahead } from './ahead';
import type { EventReport, Report } from './declarations';
import type { Chart, Column, End, Head, Table } from './document';
import { fileNameOf, REPORT_FORMAT_NAMES, type ReportFormat } from './files';
import { behindAt, gapsIn, removedIn, type Source } from './gaps';
import { sha256, signManifest } from './manifest';
import { type Asked, askedOf, type MAKE_PARAMETERS } from './parameters';
import { Privileged } from './privileged';
import type { BegunRun, NewRun, RunStore } from './run.store';
import type { FileMaker, MadeFile, Rows, RunPlan } from './run-files';
import { RunWriter } from './run-writer';
import { DeclaredSensitive, type SensitiveObject } from './sensitive';
import {
  type ControlRow,
  controlRows,
  type Lag,
  type StateRows,
  sourceRows,
  type Verification,
} from './state-rows';
import { fieldsOf, fieldValue, titleOf } from './tally';

/** What is exported, which its caller must end. */
interface Exported<Batch> {
  readonly totalCount: number | null;
  readonly batches: AsyncIterable<Batch>;
  end(): Promise<void>;
}
type Events = Exported<readonly StoredAuditEvent[]>;

interface EventsRequest {
  readonly tenants: TenantSet;
  readonly holder: string;
  readonly filter: AuditEventFilter;
  readonly cursor: null;
  readonly assertAllowed: () => Promise<void>;
}

/** What reports are made of: questions to other modules. */
export interface ReportSources {
  /** @param request.lifted the fields that are read from `additional` */
  readonly events: (request: EventsRequest & { readonly lifted: readonly LiftedName[] }) => Promise<Events>;
  /** The values of some fields of the events. */
  readonly values: (request: EventsRequest, fields: readonly AnyField[]) => Promise<Exported<EventValues>>;
  /** A part of a file, with large statements in the places of their marks. */
  readonly whole: (
    text: string,
    form: TextForm,
    asker: { readonly holder: string; readonly tenants: TenantSet },
    waitMs: number,
  ) => AsyncIterable<string | Buffer>;
  /** Whether the tenant masks its statements: a file is read by others than who asked for it. */
  readonly masks?: (tenantId: number) => Promise<boolean>;
  /** With the gaps that may lie in a time. */
  readonly sources: (
    tenants: TenantSet,
    within: { readonly from: string; readonly to: string },
  ) => Promise<readonly Source[]>;
  readonly logs: (tenants: TenantSet) => Promise<
    readonly {
      readonly size: number;
      readonly root: Buffer | null;
      readonly checkpoint: string | null;
      readonly waitingEvents: number;
      readonly refusedEvents: number;
      readonly problem: string | null;
    }[]
  >;
  readonly removals: (
    tenantId: number,
  ) => Promise<
    readonly { readonly from: Date; readonly to: Date; readonly events: number; readonly lastRunAt: Date }[]
  >;
  readonly verifications: (tenantId: number, from: Date, to: Date) => Promise<readonly Verification[]>;
  /** What is declared at a moment. */
  readonly workingHours: (tenants: TenantSet, atMs: number) => Promise<readonly DeclaredHours[]>;
  readonly lags: (tenants: TenantSet, fromMs: number, toMs: number) => Promise<readonly Lag[]>;
  readonly sensitive: (tenants: TenantSet, atMs: number) => Promise<readonly SensitiveObject[]>;
  readonly controls: (
    framework: string | null,
    tenants: TenantSet,
    asOf: bigint,
  ) => Promise<readonly ControlRow[]>;
}

/** A request for a run, of one of the tenants. */
export interface MakeRequest {
  readonly report: Report;
  readonly tenants: TenantSet;
  readonly values: ParameterValues<typeof MAKE_PARAMETERS>;
  readonly holder: string;
  readonly createdBy: string;
  readonly run?: NewRun;
  /** Aborted when nobody waits for the run any more. */
  readonly gone?: AbortSignal;
  /** @throws DomainError if the caller may no longer have the events of the tenant */
  readonly assertAllowed: (tenantId: number) => Promise<void>;
}

/** A request for a run of one tenant. */
type OneRun = Omit<MakeRequest, 'tenants' | 'assertAllowed'> & {
  readonly tenantId: number;
  readonly assertAllowed: () => Promise<void>;
};

/** The columns of a run, how many rows there may be (null: nobody knows), and what sums them up. */
interface Shape {
  readonly columns: readonly Column[];
  readonly expected: number | null;
  readonly events: RunPlan['events'];
  /** Called when the files are made. @throws DomainError if they may not leave as they are */
  readonly assertShowable?: () => Promise<void>;
}

/** A PDF of many rows takes several times as long as the other files, so it is made only if somebody asks for it. */
const formatsOf = (wanted: ReportFormat, expected: number | null): readonly ReportFormat[] =>
  wanted === 'pdf' || (expected !== null && expected <= LIMITS.reportPdfUnaskedRowsMax)
    ? REPORT_FORMAT_NAMES
    : REPORT_FORMAT_NAMES.filter((format) => format !== 'pdf');

/** What only some events of a question are wanted for. */
type Wanted = Privileged | DeclaredSensitive;

/** More terms than an expression is asked with: each event is then compared here. */
const TERMS_MAX = 256;

/** Makes runs of reports. */
export class ReportMaker {
  constructor(
    private readonly store: Pick<RunStore, 'begin' | 'put' | 'finish' | 'abandon'>,
    private readonly ask: ReportSources,
    private readonly signer: NoteSigner,
    private readonly files: FileMaker,
    private readonly nowMs: () => number,
    private readonly limits: { readonly rows: number; readonly ms: number } = {
      rows: LIMITS.reportRowsMax,
      ms: LIMITS.reportMs,
    },
  ) {}

  /**
   * @returns the id of the run
   * @throws DomainError `not_found`, `invalid_parameter`, `rate_limited`, `service_unavailable`
   */
  async make({ tenants, ...given }: MakeRequest): Promise<string> {
    const tenantId = tenantMeant(tenants, given.values.tenantId);
    const request = { ...given, tenantId, assertAllowed: () => given.assertAllowed(tenantId) };
    const declared = await this.#declared(request);
    const asked = askedOf(request.report, request.values, this.nowMs(), declared !== null);
    if ('problems' in asked) throw refusal(asked.problems);
    const { report } = request;
    if (report.source === 'events') return this.#ofEvents(report, request, naming(asked, declared), declared);
    const rows = await this.#stateRows(report.source, request, asked);
    const shape = { columns: rows.columns, expected: rows.rows.length, events: null };
    return this.#run(request, asked, shape, async (write) => {
      await write(rows.rows);
      return rows.sections;
    });
  }

  async #ofEvents(
    report: EventReport,
    request: OneRun,
    asked: Asked,
    declared: DeclaredSensitive | null,
  ): Promise<string> {
    const { question, from, to } = asked;
    const isWanted =
      report.of === 'privileged' ? await this.#privileged(request, question.endTime) : declared;
    const filter = isWanted ? narrowed(asked.filter, isWanted) : asked.filter;
    const masks = async () => (await this.ask.masks?.(request.tenantId)) === true;
    const isMasked = await masks();
    const columns: readonly AnyField[] = [...report.columns, 'recordId'];
    const fields = [...new Set([...columns, ...fieldsOf(report.sections)])];
    const events = await this.#rows(request, filter, fields, { isWanted, isMasked });
    try {
      if (!isWanted && (events.totalCount ?? 0) > this.limits.rows) throw tooManyRows(this.limits.rows);
      const period = { fromMs: Number(from / TICKS_PER_MS), toMs: Number(to / TICKS_PER_MS) };
      const workingHours = await this.ask.workingHours(oneTenant(request.tenantId), period.toMs);
      const shape = {
        columns: columns.map(columnOf),
        expected: events.totalCount,
        events: { sections: report.sections, fields, period, workingHours },
        assertShowable: async () => {
          if (!isMasked && (await masks())) throw maskedMeanwhile();
        },
      };
      return await this.#run(request, asked, shape, async (write) => {
        for await (const batch of ahead(events.batches)) await write(batch);
        return [];
      });
    } finally {
      await events.end();
    }
  }

  /** The events as rows of a report. Where an event must be looked at, this thread makes the row; else the maker of files does. */
  async #rows(
    request: OneRun,
    filter: AuditEventFilter,
    fields: readonly AnyField[],
    { isWanted, isMasked }: { readonly isWanted: Wanted | null; readonly isMasked: boolean },
  ): Promise<Exported<Rows>> {
    if (!isWanted && !isMasked) return this.ask.values(exportOf(request, filter), fields);
    const events = await this.#events(request, filter, fields.filter(isLifted));
    const rowsOf = (batch: readonly StoredAuditEvent[]) => {
      const wanted = isWanted ? batch.filter((event) => isWanted.has(event)) : batch;
      const shown = isMasked ? wanted.map(maskedEvent) : wanted;
      return shown.map((event) => fields.map((field) => fieldValue(event, field)));
    };
    return { ...events, batches: mapped(events.batches, rowsOf) };
  }

  /** What is declared sensitive at the end of the period; null: the caller names the objects, or nothing is. */
  async #declared({ report, values, tenantId }: OneRun): Promise<DeclaredSensitive | null> {
    if (report.source !== 'events' || report.of !== 'sensitive') return null;
    const given: Readonly<Record<string, unknown>> = values;
    if (report.needs?.some((name) => given[name] !== undefined)) return null;
    const end = values.endTime === undefined ? null : parseTicks(values.endTime);
    const atMs = end === null ? this.nowMs() : Number(end / TICKS_PER_MS);
    const objects = await this.ask.sensitive(oneTenant(tenantId), atMs);
    return objects.length === 0 ? null : new DeclaredSensitive(objects);
  }

  async #privileged(request: OneRun, endTime: string): Promise<Privileged> {
    const changes = `${ofActions(ROLE_CHANGE_ACTIONS)} OR (${PRINCIPAL_DROPS}) OR ${LOGIN_RENAMES}`;
    const filter = toSummaryFilter({ filter: changes, startTime: undefined, endTime });
    const events = await this.#events(request, filter, ['roleMember', 'classType']);
    try {
      const privileged = new Privileged();
      for await (const batch of events.batches) for (const event of batch) privileged.take(event);
      return privileged;
    } finally {
      await events.end();
    }
  }

  #events(request: OneRun, filter: AuditEventFilter, lifted: readonly LiftedName[]): Promise<Events> {
    return this.ask.events({ ...exportOf(request, filter), lifted });
  }

  async #stateRows(kind: 'sources' | 'controls', request: OneRun, asked: Asked): Promise<StateRows> {
    const { tenantId, values } = request;
    const tenants = oneTenant(tenantId);
    if (kind === 'controls')
      return controlRows(await this.ask.controls(values.framework ?? null, tenants, asked.to));
    const [log] = await this.ask.logs(tenants);
    const health = log ?? { size: 0, waitingEvents: 0, refusedEvents: 0, problem: null };
    const removals = await this.ask.removals(tenantId);
    const [fromMs, toMs] = [Number(asked.from / TICKS_PER_MS), Number(asked.to / TICKS_PER_MS)];
    const verifications = await this.ask.verifications(tenantId, new Date(fromMs), new Date(toMs));
    const lags = await this.ask.lags(tenants, fromMs, toMs);
    const sources = await this.ask.sources(tenants, periodOf(asked.question));
    return sourceRows(sources, asked.question, health, { removals, verifications, lags });
  }

  /**
   * Begins a run, writes its files, and ends it. A run that fails is given up.
   * @param work writes the rows, and returns the sections of rows that are no events
   */
  async #run(
    request: OneRun,
    { question }: Asked,
    { columns, expected, events, assertShowable }: Shape,
    work: (write: (rows: Rows) => Promise<void>) => Promise<readonly (Table | Chart)[]>,
  ): Promise<string> {
    const { report, tenantId, createdBy } = request;
    const tenants = oneTenant(tenantId);
    const nowMs = this.nowMs();
    const [sources, [log]] = await Promise.all([
      this.ask.sources(tenants, periodOf(question)),
      this.ask.logs(tenants),
    ]);
    const run = await this.store.begin(tenantId, report.reportId, createdBy, request.run);
    const { reportId, title, about } = report;
    const { runId, createdAt } = run;
    const head = {
      runId,
      reportId,
      title,
      about,
      tenantId: String(tenantId),
      createdAt,
      question,
      columns,
    };
    const formats = formatsOf(request.values.format as ReportFormat, expected);
    const files = this.#open(run, { head, formats, events }, request);
    try {
      const endMs = performance.now() + this.limits.ms;
      let count = 0;
      await files.begin();
      const sections = await work(async (rows) => {
        count += rows.length;
        if (count > this.limits.rows) throw tooManyRows(this.limits.rows);
        if (performance.now() > endMs) throw tooSlow(this.limits.ms);
        await files.rows(rows);
      });
      const end = {
        rows: count,
        gaps: gapsIn(sources, question.startTime, question.endTime),
        behind: behindAt(sources, question.endTime, nowMs),
        removed: removedIn(await this.ask.removals(tenantId), question.startTime, question.endTime),
        log: {
          size: log?.size ?? 0,
          root: log?.root?.toString('hex') ?? null,
          checkpoint: log?.checkpoint ?? null,
        },
      };
      const { files: written, recordIdsRoot } = await files.end(end, sections);
      await assertShowable?.();
      await this.#finish(run, { head, end: { ...end, recordIdsRoot }, createdBy }, written);
      return runId;
    } catch (error) {
      await this.store.abandon(run).catch(() => {}); // it is over later by itself
      throw error;
    } finally {
      await files.close();
    }
  }

  #open(run: BegunRun, plan: RunPlan, { holder, tenantId }: OneRun): RunWriter {
    const asker = { holder, tenants: oneTenant(tenantId) };
    return new RunWriter(
      this.files,
      plan,
      ({ format, piece, bytes }) =>
        this.store.put(run, format, piece, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),
      (text, form) => this.ask.whole(text, form, asker, LIMITS.exportWaitMs),
    );
  }

  async #finish(
    run: BegunRun,
    { head, end, createdBy }: { readonly head: Head; readonly end: End; readonly createdBy: string },
    written: readonly MadeFile[],
  ): Promise<void> {
    const { columns, about, ...asked } = head;
    const bytes = written.reduce((sum, { stored }) => sum + stored, 0);
    await this.store.finish(run, bytes, (number, before) =>
      signManifest(
        {
          version: 1,
          ...asked,
          createdBy,
          ...end,
          number,
          previous: before === null ? null : sha256(before),
          files: written.map(({ format, bytes: size, sha256: hash }) => ({
            format,
            name: fileNameOf(head.reportId, head.runId, format),
            bytes: size,
            sha256: hash,
          })),
        },
        this.signer,
      ),
    );
  }
}

/** Makes runs in turns, so that the keys of one tenant leave the maker to others too. */
export const makeInTurn =
  (maker: Pick<ReportMaker, 'make'>, turns: Pick<FairShare, 'run'>): ReportMaker['make'] =>
  async (request) => {
    const { holder, tenants, values, gone } = request;
    const asker = {
      holder,
      tenants: oneTenant(tenantMeant(tenants, values.tenantId)),
      ...(gone && { gone }),
    };
    return turns.run(asker, () => maker.make(request), LIMITS.exportWaitMs);
  };

const exportOf = ({ tenantId, holder, assertAllowed }: OneRun, filter: AuditEventFilter): EventsRequest => ({
  tenants: oneTenant(tenantId),
  holder,
  filter,
  cursor: null,
  assertAllowed,
});

async function* mapped<T, R>(items: AsyncIterable<T>, map: (item: T) => R): AsyncGenerator<R, void> {
  for await (const item of items) yield map(item);
}

const periodOf = ({ startTime, endTime }: Asked['question']) => ({ from: startTime, to: endTime });

/** The same question, which names what is declared. */
const naming = (asked: Asked, declared: DeclaredSensitive | null): Asked =>
  declared === null
    ? asked
    : {
        ...asked,
        question: {
          ...asked.question,
          parameters: { ...asked.question.parameters, declaredSensitive: declared.text },
        },
      };

/** The same filter for what these principals did, if they are few enough to name. */
function narrowed(
  filter: AuditEventFilter,
  { expression }: { readonly expression: Expression },
): AuditEventFilter {
  if (termsOf(expression).length > TERMS_MAX) return filter;
  return { ...filter, expression: allOf(filter.expression ? [filter.expression, expression] : [expression]) };
}

const KINDS: Partial<Record<AnyField, Column['kind']>> = {
  eventTime: 'time',
  statement: 'statement',
  responseRows: 'number',
  affectedRows: 'number',
};
const columnOf = (name: AnyField): Column => ({ name, title: titleOf(name), kind: KINDS[name] ?? 'text' });

const maskedMeanwhile = () =>
  new DomainError('service_unavailable', {
    public: 'The tenant began to mask its statements while the report was made. Make it again.',
    retryAfterSeconds: 1,
  });

const tooManyRows = (rows: number) =>
  new DomainError('invalid_parameter', {
    public: `The report would have more than ${rows} rows. Give a shorter period, or a filter.`,
  });

const tooSlow = (ms: number) =>
  new DomainError('invalid_parameter', {
    public: `The report takes more than ${ms / 60_000} minutes to make. Give a shorter period, or a filter.`,
  });
