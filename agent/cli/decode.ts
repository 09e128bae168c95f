import { type DecodedItem, decodeFiles, decodeFilesRaw, type RawItem } from '../sqlaudit/decode-files';
import type { LineOutput } from './line-output';

export interface DecodeOptions {
  /** Every event as it is, instead of audit records. */
  readonly raw: boolean;
  readonly out: LineOutput;
  /** Takes one line for each thing that went wrong. */
  complain(line: string): void;
}

/** Prints what is in audit files as JSON lines. @returns the exit code: 0 only where all were read to their end */
export async function decode(
  paths: readonly string[],
  { raw, out, complain }: DecodeOptions,
): Promise<number> {
  let exitCode = 0;
  const items: AsyncIterable<DecodedItem | RawItem> = raw ? decodeFilesRaw(paths) : decodeFiles(paths);
  for await (const item of items) {
    if (item.kind === 'problem') {
      complain(`${item.file}: byte ${item.offset}: ${item.reason}`);
      exitCode = 1;
    } else if (!(await out.write(JSON.stringify(item.kind === 'raw' ? item.event : item.record)))) {
      break;
    }
  }
  if (out.problem) {
    complain(`the output cannot be written: ${out.problem.message}`);
    return 1;
  }
  return exitCode;
}
