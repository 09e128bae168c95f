import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { isForATime, type MailServer, openSmtp, takenOf } from '../../../delivery/smtp';
import { SYSLOG_SEVERITY, type SyslogSeverity } from '../../../delivery/syslog-message';
import { onOneLine } from '../../../event/visible-text';
import { Zone } from '../../../event/zone';
import { LIMITS } from '../../../limits';
import { oneTenant } from '../../../tenant-set';
import { API_BASE_PATH } from '../../../version';
import { REPORT_FORMATS, type ReportFormat } from '../files';
import type { Manifest } from '../manifest';
import type { Reports } from '../reports';
import type { Pending, Schedule } from './schedule';

/** What became of a message; null: there is no such destination, or it keeps no files. */
type Sent = { readonly kind: string; readonly message?: string; readonly isOfInstance?: boolean } | null;
interface SentFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly sha256: string;
  open(): Readable;
}
export interface Deliverers {
  readonly sendMessage: (
    tenantId: number,
    destinationId: string,
    message: {
      readonly id: string;
      readonly at: Date;
      readonly kind: 'REPORT';
      readonly severity: SyslogSeverity;
      readonly content: object;
    },
  ) => Promise<Sent>;
  readonly sendFile: (tenantId: number, destinationId: string, file: SentFile) => Promise<Sent>;
  /** Null: no mail is sent. */
  readonly mail: MailServer | null;
  /** Where browsers find the service; null: nobody said. */
  readonly publicUrl: string | null;
}

/** What became of an attempt: who has the mail, and why others have not. */
export interface Delivered {
  readonly told: readonly string[];
  /** Null: everybody has it who can have it. */
  readonly failure: string | null;
  /** Whether this instance may not connect to the receiver. Another one may. */
  readonly isOfInstance?: boolean;
  /** What to show though it is done. */
  readonly note: string | null;
}

const SENT = { failure: null };
const failureOf = ({ kind, message, isOfInstance = false }: NonNullable<Sent>) => ({
  failure: message ?? kind,
  isOfInstance,
});

/** What a run is, and its answer as `verify --report` reads it. */
type RunAnswer = NonNullable<Awaited<ReturnType<Reports['run']>>>;

/** Sends runs to those whom their schedules name. */
export class Delivery {
  readonly #smtp: ReturnType<typeof openSmtp> | null;

  constructor(
    private readonly reports: Pick<Reports, 'run' | 'file'>,
    private readonly by: Deliverers,
  ) {
    this.#smtp = by.mail && openSmtp(by.mail);
  }

  async send(schedule: Schedule, pending: Pending): Promise<Delivered> {
    const run = await this.reports.run(oneTenant(schedule.tenantId), pending.runId);
    if (!run) return { told: pending.told, failure: 'the run is not there any more', note: null };
    if (run.files.length === 0)
      return { told: pending.told, failure: 'the files of the run were removed', note: null };
    const { emails, destinationId } = schedule.definition;
    if (emails.length > 0) return this.#mail(schedule, pending, run);
    const sent = destinationId === null ? SENT : await this.#post(schedule, destinationId, run);
    return { told: [], note: null, ...sent };
  }

  async #post({ tenantId, scheduleId, definition }: Schedule, destinationId: string, run: RunAnswer) {
    const tenants = oneTenant(tenantId);
    const answer = Buffer.from(JSON.stringify({ data: run }));
    const answerFile: SentFile = {
      name: `reports/${run.reportId}-${run.runId}.run.json`,
      mediaType: 'application/json',
      bytes: answer.length,
      sha256: createHash('sha256').update(answer).digest('hex'),
      open: () => Readable.from([answer]),
    };
    for (const { format, name, bytes, sha256 } of this.#chosen(definition.formats, run)) {
      if (bytes > LIMITS.reportSentFileBytesMax) continue;
      const { mediaType } = REPORT_FORMATS[format as ReportFormat];
      const { reports } = this;
      // A connection that was closed meanwhile is made anew, and the file is read once more.
      const read = async function* () {
        yield* (await reports.file(tenants, run.runId, format as ReportFormat)).content;
      };
      const open = () => Readable.from(read());
      const sent = await this.by.sendFile(tenantId, destinationId, {
        name: `reports/${name}`,
        mediaType,
        bytes,
        sha256,
        open,
      });
      // Receivers of other types get the message alone.
      if (sent === null) break;
      if (sent.kind !== 'accepted') return failureOf(sent);
    }
    const kept = await this.by.sendFile(tenantId, destinationId, answerFile);
    if (kept !== null && kept.kind !== 'accepted') return failureOf(kept);
    const sent = await this.by.sendMessage(tenantId, destinationId, {
      id: run.runId,
      at: new Date(run.createdAt),
      kind: 'REPORT',
      severity: SYSLOG_SEVERITY.notice,
      content: {
        type: 'report',
        scheduleId,
        schedule: definition.name,
        ...Object.fromEntries(MESSAGE_FIELDS.map((name) => [name, run[name]])),
        links: this.#links(run, definition.formats),
      },
    });
    if (sent === null) return { failure: 'there is no such destination' };
    return sent.kind === 'accepted' ? SENT : failureOf(sent);
  }

  async #mail(schedule: Schedule, { told }: Pending, run: RunAnswer): Promise<Delivered> {
    const failed = (failure: string): Delivered => ({ told, failure, note: null });
    if (!this.#smtp || !this.by.mail) return failed('SMTP_URL is not set');
    const { from } = this.by.mail;
    const { emails } = schedule.definition;
    const missing = emails.filter((address) => !told.includes(address));
    if (missing.length === 0) return { told, failure: null, note: null };
    const { attachments, isLeftOut } = await this.#attachments(schedule, run);
    try {
      const {
        accepted,
        rejected = [],
        rejectedErrors = [],
      } = await this.#smtp.transport.sendMail({
        from,
        to: [...emails],
        envelope: { from, to: missing },
        subject: onOneLine(`Report: ${run.title} (${schedule.definition.name})`),
        text: this.#text(schedule, run, isLeftOut),
        messageId: `<${run.runId}.${schedule.scheduleId}@audit-activity>`,
        attachments,
      });
      const refused = rejected.map(String);
      const later = rejectedErrors.find(isForATime);
      const done = [...told, ...takenOf(missing, accepted)];
      if (later) return { told: done, failure: this.#smtp.blank(later.message), note: null };
      const note = refused.length > 0 ? `the mail server refuses ${refused.join(', ')}` : null;
      return { told: done, failure: null, note };
    } catch (error) {
      return failed(this.#smtp.blank((error as Error).message));
    }
  }

  /** The files of the run, if it is wished and they are small enough together. */
  async #attachments({ tenantId, definition }: Schedule, run: RunAnswer) {
    const files = definition.attach ? this.#chosen(definition.formats, run) : [];
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if (files.length === 0 || bytes > LIMITS.reportMailBytesMax)
      return { attachments: [], isLeftOut: definition.attach };
    const attachments = [];
    for (const { format, name } of files) {
      const { content } = await this.reports.file(oneTenant(tenantId), run.runId, format as ReportFormat);
      const parts: Buffer[] = [];
      for await (const part of content) parts.push(part);
      const { mediaType } = REPORT_FORMATS[format as ReportFormat];
      attachments.push({ filename: name, content: Buffer.concat(parts), contentType: mediaType });
    }
    attachments.push({
      filename: `${run.reportId}-${run.runId}.run.json`,
      content: Buffer.from(JSON.stringify({ data: run })),
      contentType: 'application/json',
    });
    return { attachments, isLeftOut: false };
  }

  #text({ definition }: Schedule, run: RunAnswer, isLeftOut: boolean): string {
    const { question, gaps, behind, removed, log } = JSON.parse(run.manifest) as Manifest;
    const zone = new Zone(question.timeZone);
    const time = (text: string) => zone.format(Date.parse(text));
    return [
      run.title,
      `Period: ${time(question.startTime)} to ${time(question.endTime)} (${question.timeZone})`,
      `Rows: ${run.rows}`,
      `Gaps of the sources in the period: ${gaps.length}`,
      ...(behind ? [`Sources that are not complete for the period: ${behind.length}`] : []),
      ...(removed ? [`Removed by retention, some may be of the period: ${removed.events} events`] : []),
      `Evidence log: ${log.size} entries, root ${log.root ?? 'none'}`,
      `Tenant: ${run.tenantId}    Run: ${run.runId}`,
      `Schedule: ${definition.name}`,
      ...(isLeftOut ? ['The files are larger than 10 MB: read them at the addresses below.'] : []),
      ...this.#page(run),
      ...Object.values(this.#links(run, definition.formats)),
      ...run.files.map(({ name, sha256 }) => `SHA-256 ${sha256}  ${name}`),
    ]
      .map(onOneLine)
      .join('\n');
  }

  /** Where people look at the run, sign in, and find how to verify it. */
  #page({ runId }: RunAnswer): readonly string[] {
    const base = this.by.publicUrl?.replace(/\/+$/, '');
    return base === undefined ? [] : [`${base}/dashboard/reports?run=${runId}`];
  }

  #chosen(formats: readonly ReportFormat[], { files }: RunAnswer) {
    return files.filter(({ format }) => (formats as readonly string[]).includes(format));
  }

  /** Where the files are, for people who sign in or have a key. */
  #links(run: RunAnswer, formats: readonly ReportFormat[]): Readonly<Record<string, string>> {
    const base = this.by.publicUrl?.replace(/\/+$/, '') ?? '';
    return Object.fromEntries(
      this.#chosen(formats, run).map(({ format }) => [
        format,
        `${base}${API_BASE_PATH}/reports/runs/${run.runId}/content?format=${format}`,
      ]),
    );
  }
}

const MESSAGE_FIELDS = [
  ...(['runId', 'tenantId', 'reportId', 'title', 'createdAt', 'startTime', 'endTime', 'timeZone'] as const),
  ...(['rows', 'number', 'files', 'note'] as const),
];
