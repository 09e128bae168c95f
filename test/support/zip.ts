import { ZipWriter } from '../../src/modules/evidence/package/zip-writer';

/** A zip file of files by their names, each compressed. */
export async function zipOf(files: Iterable<readonly [name: string, content: Buffer]>): Promise<Buffer> {
  const zip = new ZipWriter(new Date('2026-01-05T08:00:01Z'));
  const parts: Buffer[] = [];
  for (const [name, content] of files) {
    for await (const part of zip.file({ name, content: [content] })) parts.push(part);
  }
  return Buffer.concat([...parts, zip.end()]);
}
