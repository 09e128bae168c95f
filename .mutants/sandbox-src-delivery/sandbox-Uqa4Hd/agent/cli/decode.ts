import {
  type DecodedItem,
  decodeFilesByBlock,
  decodeFilesRawByBlock,
  type RawItem,
} from '../sqlaudit/decode-files';
import type { LineOutput } from './line-output';

interface DecodeOptions {
  /** Prints every event with all its fields, instead of audit records. */
  readonly raw: boolean;
  readonly out: LineOutput;
  /** Takes one line for each problem. */
  complain(line: string): void;
}

/** Prints the content of audit files as JSON lines. @returns the exit code: 0 only if all were read to their end */
export async function decode(
  paths: readonly string[],
  { raw, out, complain }: DecodeOptions,
): Promise<number> {
  let exitCode = 0;
  const blocks: AsyncIterable<readonly (DecodedItem | RawItem)[]> = raw
    ? decodeFilesRawByBlock(paths)
    : decodeFilesByBlock(paths);
  for await (const items of blocks) {
    const lines: string[] = [];
    for (const item of items) {
      if (item.kind === 'problem') {
        complain(`${item.file}: byte ${item.offset}: ${item.reason}`);
        exitCode = 1;
      } else lines.push(JSON.stringify(item.kind === 'raw' ? item.event : item.record));
    }
    if (lines.length > 0 && !(await out.write(lines.join('\n')))) break;
  }
  if (out.problem) {
    complain(`the output cannot be written: ${out.problem.message}`);
    return 1;
  }
  return exitCode;
}
