import { Button, Group, NativeSelect, Progress, Stack, Text, Title } from '@mantine/core';
import { useTexts } from '../lib/language';
import { Failed } from '../shell/states';
import { BacktestResult } from './backtest-result';
import { RULES } from './texts';
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
  const t = useTexts(RULES);
  const { test, error, isRunning, start, days, setDays } = backtest;
  const all = test ? test.eventsRead + test.eventsLeft : 0;
  return (
    <section aria-label={t.backtest}>
      <Title order={2} size="h6" mb={4}>
        {t.backtest}
      </Title>
      {note && (
        <Text size="xs" c="dimmed" mb="xs">
          {note}
        </Text>
      )}
      <Stack gap="xs">
        <Group gap="xs" align="flex-end">
          <NativeSelect
            label={t.overLast}
            value={String(days)}
            onChange={(event) => setDays(Number(event.currentTarget.value))}
            data={DAYS.map((n) => ({ value: String(n), label: t.lastDays(n) }))}
          />
          <Button variant="default" loading={isRunning} onClick={() => start(tested)}>
            {t.test}
          </Button>
        </Group>
        {error && <Failed error={error} />}
        {test && (
          <Text size="sm" role="status">
            {t.result(isState(test.state) ? t[test.state] : test.state, test.findingCount, test.eventsRead)}
            {test.eventsLeft > 0 && `, ${t.toGo(test.eventsLeft)}`}
            {test.eventsUnread > 0 && `; ${t.unread(test.eventsUnread)}`}
          </Text>
        )}
        {test && !isOf(test.of, tested) && (
          <Text size="sm" c="dimmed">
            {t.foundBefore}
          </Text>
        )}
        {isRunning && (
          <Progress value={all > 0 ? ((test?.eventsRead ?? 0) / all) * 100 : 0} aria-label={t.readSoFar} />
        )}
        {test && test.findingCount > 0 && <BacktestResult test={test} days={test.ofDays} />}
      </Stack>
    </section>
  );
}

const STATES = ['running', 'done', 'failed'] as const;
const isState = (name: string): name is (typeof STATES)[number] => STATES.some((one) => one === name);

/** Whether a result is of what is typed now. */
function isOf(before: string, tested: () => Tested): boolean {
  try {
    return JSON.stringify(tested()) === before;
  } catch {
    return false;
  }
}
