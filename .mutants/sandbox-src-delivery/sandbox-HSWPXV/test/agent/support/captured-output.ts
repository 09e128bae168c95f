import { PassThrough } from 'node:stream';
import { LineOutput } from '../../../agent/cli/line-output';

/** An output that keeps its lines. */
export function capturedOutput(): { readonly out: LineOutput; text(): string } {
  const stream = new PassThrough();
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return { out: new LineOutput(stream), text: () => text };
}
