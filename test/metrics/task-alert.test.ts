import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type * as background from '../../src/background';
import { namesIn, tableOf } from '../support/documents';
import { useWorld } from '../support/use-world';

/** Only a distributed database has them, or one that several instances share. */
const OF_OTHERS = ['nodes', 'instance-settings'];
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

// Only the embedded engine has the task that vacuums.
describe('the alert about stopped tasks', () => {
  useWorld('embedded', { archiveAfterDays: 9, archivePlace: { kind: 'folder', folder: tmpdir() } });

  const taskNames = (pattern = '') => new RegExp(`^(?:${pattern})$`);

  it('waits for at least two rounds of each task that it covers, and leaves out only those that are rarer or have their own', async () => {
    const alerts = await readFile(ALERTS, 'utf8');
    const [, rare = '', seconds] =
      /alert: AuditActivityTaskStopped[^>]*>-[^{]*\{task!~"([^"]*)"\}\)\s*> (\d+)/.exec(alerts) ?? [];
    expect(rare).not.toBe('');
    const isRarer = ({ everyMs }: background.Task) => everyMs * 2 > Number(seconds) * 1000;
    const leftOut = ({ name }: background.Task) => taskNames(rare).test(name);
    const named = (some: readonly background.Task[]) => some.map(({ name }) => name);
    expect(tasks.length).toBeGreaterThan(12);
    expect(named(tasks.filter((task) => isRarer(task) && !leftOut(task)))).toEqual([]);
    const own = [...alerts.matchAll(/_last_round_timestamp_seconds\{task=~?"([^"]*)"\}/g)];
    const hasOwn = ({ name }: background.Task) => own.some(([, pattern]) => taskNames(pattern).test(name));
    expect(named(tasks.filter((task) => leftOut(task) && !isRarer(task) && !hasOwn(task)))).toEqual([]);
    // Each name of the pattern is that of a task.
    expect(rare.split('|').filter((one) => !tasks.some(({ name }) => taskNames(one).test(name)))).toEqual([]);
  });

  it('and docs/operate.md name each task by its slug, and say what it does', () => {
    const described = tableOf('docs/operate.md', 'Background task').map(([name = '', doc]) => [
      namesIn(name)[0] ?? '',
      doc,
    ]);
    expect(described.filter(([name]) => !/^[a-z]+(-[a-z]+)*$/.test(name ?? ''))).toEqual([]);
    expect(described.filter(([name = '']) => !OF_OTHERS.includes(name))).toEqual(
      tasks.map(({ name, doc }) => [name, doc]).sort(),
    );
  });
});
