import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { decodeFilesByBlock } from '../../agent/sqlaudit/decode-files';
import { alternate } from '../alternate';
import type { Bench } from '../context';
import { writeAuditFiles } from '../data/audit-files';
import { compared, type Figure } from '../figure';
import { short } from '../report';

const FILES = 4;
const EVENTS_PER_FILE = 40_000;
const CHUNK_BYTES = 1024 * 1024;
const TARGET = { atLeast: 0.2 } as const;

/** MB a second of the agent's decoder against reading the same files and taking their checksum. */
export async function decode(bench: Bench): Promise<Figure[]> {
  const folder = bench.folder('decode');
  const files = writeAuditFiles(bench.machine.root, folder, FILES, EVENTS_PER_FILE);
  const megabytes = files.bytes / 1e6;
  bench.say(`  ${FILES} files, ${short(megabytes)} MB, ${files.events.toLocaleString('en')} events`);
  const rate = async (work: () => Promise<unknown>) => {
    const started = performance.now();
    await work();
    return megabytes / ((performance.now() - started) / 1000);
  };
  const decodeAll = async () => {
    let records = 0;
    for await (const items of decodeFilesByBlock(files.paths)) {
      for (const item of items) {
        if (item.kind === 'problem') throw new Error(`${item.file} at ${item.offset}: ${item.reason}`);
        records += 1;
      }
    }
    if (records !== files.events) throw new Error(`${records} of ${files.events} records were decoded`);
  };
  const subjects = {
    decoded: () => rate(decodeAll),
    crc: () => rate(() => readAll(files.paths, (sum: number, chunk) => crc32(chunk, sum), 0)),
    sha: () => rate(() => readAll(files.paths, (hash, chunk) => hash.update(chunk), createHash('sha256'))),
  };
  try {
    // Once unmeasured: the files come into memory, the code is compiled.
    for (const subject of Object.values(subjects)) await subject();
    const { decoded, crc, sha } = await alternate(bench.options.rounds, subjects, (_, round) =>
      bench.say(
        `  decode ${short(round.decoded)}, read + CRC-32 ${short(round.crc)}, read + SHA-256 ${short(round.sha)} MB/s`,
      ),
    );
    const about = { bench: 'decode', unit: 'MB/s' };
    const eventRate =
      (decoded.toSorted((a, b) => a - b)[decoded.length >> 1] ?? 0) * (files.events / megabytes);
    const note = `${short(eventRate)} events/s, ${Math.round(files.bytes / files.events)} B an event`;
    return [
      compared({ ...about, name: '.sqlaudit decode', target: TARGET, note }, decoded, {
        name: 'read + CRC-32',
        values: crc,
      }),
      compared({ ...about, name: '.sqlaudit decode', target: null }, decoded, {
        name: 'read + SHA-256',
        values: sha,
      }),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads into the same memory again and again: fresh memory for each chunk makes the rate a matter of the C library. */
async function readAll<T>(paths: readonly string[], add: (sum: T, chunk: Buffer) => T, first: T): Promise<T> {
  const memory = Buffer.alloc(CHUNK_BYTES);
  let sum = first;
  for (const path of paths) {
    await using file = await open(path);
    for (;;) {
      const { bytesRead } = await file.read(memory, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) break;
      sum = add(sum, memory.subarray(0, bytesRead));
    }
  }
  return sum;
}
