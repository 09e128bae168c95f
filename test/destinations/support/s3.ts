import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

export const BUCKET = 'audit-archive';
/** The only login that s3rver knows. It verifies signatures made with this login. */
export const LOGIN = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

interface S3rver {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}
type S3rverClass = new (options: object) => S3rver;

/** An object store (s3rver) with the interface of S3. */
export class ObjectStore {
  private constructor(
    readonly url: string,
    readonly port: number,
    readonly folder: string,
    private server: S3rver,
  ) {}

  static async open(): Promise<ObjectStore> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'audit-activity-s3-'));
    const server = serverOn(folder, 0);
    const { port } = await server.run();
    return new ObjectStore(`http://127.0.0.1:${port}`, port, folder, server);
  }

  /** @returns the lines of each object by its name, in the order of the names */
  async objects(): Promise<ReadonlyMap<string, readonly { recordId: string; position: string }[]>> {
    const bucket = path.join(this.folder, BUCKET);
    const files = await readdir(bucket, { recursive: true });
    const names = files.filter((name) => name.endsWith('._S3rver_object')).sort();
    const read = names.map(async (name) => {
      const text = gunzipSync(await readFile(path.join(bucket, name))).toString('utf8');
      const lines = text.trimEnd().split('\n');
      return [name.replace('._S3rver_object', ''), lines.map((line) => JSON.parse(line))] as const;
    });
    return new Map(await Promise.all(read));
  }

  async stop(): Promise<void> {
    await this.server.close();
  }

  async startAgain(): Promise<void> {
    this.server = serverOn(this.folder, this.port);
    await this.server.run();
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function serverOn(folder: string, port: number): S3rver {
  const Server = require('s3rver') as S3rverClass;
  return new Server({
    port,
    address: '127.0.0.1',
    silent: true,
    directory: folder,
    configureBuckets: [{ name: BUCKET }],
  });
}
