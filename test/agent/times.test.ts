import { AGENT_TIMES } from '../../agent/times';
import { readDocument } from '../support/documents';

const text = readDocument('docs/agent.md').replaceAll(/\s+/g, ' ');
const seconds = (ms: number) => `${ms / 1_000} s`;

it('the times of an agent are those of docs/agent.md', () => {
  const { retryMaxMs, refusedRetryMs, badBlockWaitMs } = AGENT_TIMES;
  expect(text).toContain(`growing pauses of up to ${seconds(retryMaxMs)}.`);
  expect(text).toContain(`the agent asks every ${seconds(refusedRetryMs)} without events.`);
  expect(text).toContain(`tries the key every ${seconds(refusedRetryMs)} without any.`);
  expect(text).toContain(`the agent waits for it, at most ${seconds(badBlockWaitMs)}.`);
});
