import { PassThrough } from 'node:stream';
import { questionsTo } from '../../src/cli/question';

const stream = (isTTY = true) => Object.assign(new PassThrough(), { isTTY });

describe('a question before something is done for good', () => {
  /** What is decided, and what was written, when somebody types this. */
  async function answered(text: string) {
    const [stdin, stderr] = [stream(), stream()];
    const decided = questionsTo(stdin, stderr)?.('3 events are erased.');
    stdin.end(text);
    return [await decided, String(stderr.read())] as const;
  }

  it.each(['y\n', 'Y\n', 'yes\n', ' YES \n'])('is agreed to by %j', async (text) => {
    const [isAgreed, asked] = await answered(text);
    expect(isAgreed).toBe(true);
    expect(asked).toContain('3 events are erased. [y/N] ');
  });

  it.each(['\n', 'n\n', 'yellow\n', 'any\n', 'yes please\n', 'no\ny\n'])(
    'is not agreed to by %j',
    async (text) => {
      expect((await answered(text))[0]).toBe(false);
    },
  );

  it('is not agreed to by the end of the input', async () => {
    expect((await answered(''))[0]).toBe(false);
  });

  it('is not asked where nobody can see it, or answer', () => {
    const isAsked = (stdin: boolean, stderr: boolean) => questionsTo(stream(stdin), stream(stderr)) !== null;
    expect([isAsked(true, true), isAsked(true, false), isAsked(false, true)]).toEqual([true, false, false]);
  });
});
