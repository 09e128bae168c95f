import { Button, Group, NativeSelect, Progress, Stack, Text, Title } from '@mantine/core';
import { formatCount } from '../lib/numbers';
import { Failed } from '../shell/states';
import { BacktestResult } from './backtest-result';
import type { Tested, useBacktest } from './use-backtest';

const DAYS = [1, 7, 30, 90, 365];

interface Props {
  /** What is tested, in words. */
  readonly note?: string;
  readonly tested: () => Tested;
  readonly backtest: ReturnType<typeof useBacktest>;
}

/** Shows what a rule would have found in the events of the last days. The result is not stored. */
export function Backtest({ note, tested, backtest }: Props) {
  const { test, error, isRunning, start, days, setDays } = backtest;
  const all = test ? test.eventsRead + test.eventsLeft : 0;
  return (
    <section aria-label="Backtest">
      <Title order={2} size="h6" mb={4}>
        Backtest
      </Title>
      {note && (
        <Text size="xs" c="dimmed" mb="xs">
          {note}
        </Text>
      )}
      <Stack gap="xs">
        <Group gap="xs" align="flex-end">
          <NativeSelect
            label="Over the last"
            value={String(days)}
            onChange={(event) => setDays(Number(event.currentTarget.value))}
            data={DAYS.map((n) => ({ value: String(n), label: n === 1 ? 'day' : `${n} days` }))}
          />
          <Button variant="default" loading={isRunning} onClick={() => start(tested)}>
            Test
          </Button>
        </Group>
        {error && <Failed error={error} />}
        {test && (
          <Text size="sm" role="status">
            {STATES[test.state] ?? test.state}: {formatCount(test.findingCount)} findings in{' '}
            {formatCount(test.eventsRead)} events
            {test.eventsLeft > 0 && `, ${formatCount(test.eventsLeft)} to go`}
          </Text>
        )}
        {test && !isOf(test.of, tested) && (
          <Text size="sm" c="dimmed">
            This was found before you changed what is tested.
          </Text>
        )}
        {isRunning && (
          <Progress value={all > 0 ? ((test?.eventsRead ?? 0) / all) * 100 : 0} aria-label="Read so far" />
        )}
        {test && test.findingCount > 0 && <BacktestResult test={test} days={test.ofDays} />}
      </Stack>
    </section>
  );
}

const STATES: Readonly<Record<string, string>> = { running: 'Running', done: 'Done', failed: 'Failed' };

/** Whether a result is of what is typed now. */
function isOf(before: string, tested: () => Tested): boolean {
  try {
    return JSON.stringify(tested()) === before;
  } catch {
    return false;
  }
}
