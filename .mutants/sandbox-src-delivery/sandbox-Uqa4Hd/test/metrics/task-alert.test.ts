import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type * as background from '../../src/background';
import { ONE_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';

const tasks: background.Task[] = [];
jest.mock('../../src/background', () => {
  const actual = jest.requireActual<typeof background>('../../src/background');
  const startTasks: typeof actual.startTasks = (all, ...others) => {
    tasks.push(...all);
    return actual.startTasks(all, ...others);
  };
  return { ...actual, startTasks };
});

const ALERTS = path.resolve(__dirname, '../../deploy/monitoring/alerts.yaml');

describe.each(ONE_ENGINE)('the alert about stopped tasks on %s', (engine) => {
  useWorld(engine);

  it('waits for at least two rounds of each task that it covers', async () => {
    const [, rare = '', seconds] =
      /alert: AuditActivityTaskStopped[^>]*>-[^{]*\{task!~"([^"]*)"\}\)\s*> (\d+)/.exec(
        await readFile(ALERTS, 'utf8'),
      ) ?? [];
    expect(rare).not.toBe('');
    const lookedAt = tasks.filter(({ name }) => !new RegExp(`^(?:${rare})$`).test(name));
    expect(lookedAt.length).toBeGreaterThan(5);
    const rarer = lookedAt.filter(({ everyMs }) => everyMs * 2 > Number(seconds) * 1000);
    expect(rarer.map(({ name }) => name)).toEqual([]);
  });
});
