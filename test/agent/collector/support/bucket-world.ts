import { readFileSync } from 'node:fs';
import { guidOf, row, writer } from '../../gaps/support';
import { AgentWorld } from '../../support/agent-world';
import { auditFileName } from '../../support/audit-files';
import { BUCKET, REGION, S3StandIn } from './s3-stand-in';

export const FOLDER = 'rds/payroll-1/Audit1';

/** Key of the n-th file of one audit on a node of RDS. */
export const keyOf = (file: number, { node = 1, folder = FOLDER } = {}): string =>
  `${folder}/node${node}_${auditFileName(file)}`;

/** The n-th audit file, with a record for each number. */
export const fileOf = (file: number, ...records: readonly number[]): Buffer =>
  writer.file(
    guidOf(file),
    records.map((n) => [row(n)]),
  );

/** An agent that collects from a bucket, and everything around it. */
export class BucketWorld {
  private constructor(
    readonly agents: AgentWorld,
    readonly store: S3StandIn,
  ) {}

  static async create(): Promise<BucketWorld> {
    const world = new BucketWorld(await AgentWorld.create(), await S3StandIn.start());
    world.configure();
    return world;
  }

  async close(): Promise<void> {
    await this.agents.close();
    await this.store.stop();
  }

  /** Settings of the source. */
  settings(changes: object = {}): object {
    return {
      Bucket: BUCKET,
      Prefix: 'rds/',
      Region: REGION,
      Endpoint: this.store.url,
      ListIntervalMs: 20,
      ...this.store.login,
      ...changes,
    };
  }

  /** Writes the configuration of one database "Payroll". */
  configure(changes: object = {}): void {
    const S3 = this.settings(changes);
    this.agents.configure({}, { Databases: [{ Name: 'Payroll', AuditSource: { Type: 'S3', S3 } }] });
  }

  /** The statement of each stored event, in the order in which they came. */
  get statements(): string[] {
    return this.agents.service.events.map(({ statement }) => statement ?? '');
  }

  get gaps() {
    return this.agents.service.reports.flatMap(({ gaps }) => gaps);
  }

  /** The last problem that the service was told of. */
  get reported(): string | null {
    return this.agents.service.reports.at(-1)?.problem ?? null;
  }

  /** Requests to the bucket that are no listings. */
  get reads(): string[] {
    return this.store.requests.filter((url) => !url.includes('list-type'));
  }
}

export const selects = (...numbers: readonly number[]): string[] => numbers.map((n) => `SELECT ${n}`);
export const bytesOf = (path: string): Buffer => readFileSync(path);
