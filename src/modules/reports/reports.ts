import { DomainError } from '../../errors';
import type { Answer } from '../../event/shape';
import { LIMITS } from '../../limits';
import { isSignedBy } from '../../store/log/evidence/signed-note';
import type { TenantSet } from '../../tenant-set';
import type { REPORT, REPORT_RUN } from './answers';
import { shippedReports } from './declarations';
import type { ReportFormat } from './files';
import type { Manifest, ManifestFile } from './manifest';
import type { RunStore, StoredRun } from './run.store';

type ReportItem = Answer<typeof REPORT>;
type RunItem = Answer<typeof REPORT_RUN>;

/** A file of a run, on its way to a caller. */
export interface RunFile extends ManifestFile {
  readonly runId: string;
  readonly rows: number;
  readonly content: AsyncIterable<Buffer>;
}

/** The catalogue, and the runs that are there. */
export class Reports {
  /** @param keys as verifiers get them: that which signs runs, and earlier ones that are at hand */
  constructor(
    private readonly store: Pick<RunStore, 'newest' | 'find' | 'file'>,
    private readonly keys: readonly [string, ...string[]],
  ) {}

  async catalogue(tenants: TenantSet): Promise<readonly ReportItem[]> {
    const runs = (await this.store.newest(tenants, LIMITS.reportRunsShown)).map(manifestOf);
    return this.choices().map((report) => ({
      ...report,
      runs: runs
        .filter(({ reportId }) => reportId === report.reportId)
        .slice(0, LIMITS.reportRunsShown)
        .map(listItem),
    }));
  }

  /** The catalogue without runs. */
  choices(): readonly Omit<ReportItem, 'runs'>[] {
    return shippedReports().map((report) => ({
      reportId: report.reportId,
      title: report.title,
      about: report.about,
      needs: (report.source === 'events' && report.needs) || [],
    }));
  }

  /** @returns null: no tenant of the set has such a run */
  async run(tenants: TenantSet, runId: string): Promise<RunItem | null> {
    const run = await this.store.find(tenants, runId);
    if (!run) return null;
    const manifest = manifestOf(run);
    return {
      ...listItem(manifest),
      reportId: manifest.reportId,
      title: manifest.title,
      timeZone: manifest.question.timeZone,
      number: manifest.number,
      expiresAt: run.expiresAt,
      logSize: manifest.log.size,
      files: run.state === 'done' ? manifest.files : [],
      manifest: run.manifest,
      note: run.note,
      publicKey: this.keys.find((key) => isSignedBy(key, run.note)) ?? this.keys[0],
    };
  }

  /** @throws DomainError `not_found` */
  async file(tenants: TenantSet, runId: string, format: ReportFormat): Promise<RunFile> {
    const run = await this.store.find(tenants, runId);
    const manifest = run && manifestOf(run);
    const file = manifest?.files.find((one) => one.format === format);
    if (!run || !manifest) throw new DomainError('not_found', { public: 'There is no such record.' });
    if (!file)
      throw new DomainError('not_found', {
        public: `This run was made without a file in ${format}. Make a run with format=${format}.`,
      });
    if (run.state === 'over')
      throw new DomainError('not_found', { public: 'The files of this run were removed.' });
    return { ...file, runId, rows: manifest.rows, content: this.store.file(run, format, file.bytes) };
  }
}

const manifestOf = ({ manifest }: StoredRun) => JSON.parse(manifest) as Manifest;

const listItem = ({ runId, tenantId, createdAt, createdBy, question, rows }: Manifest) => ({
  runId,
  tenantId,
  createdAt,
  createdBy,
  startTime: question.startTime,
  endTime: question.endTime,
  rows,
});
