import {
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { TuneRuleDocument } from '../../generated/operations';
import { SEVERITY_NAMES } from '../alerts/alert-words';
import { ALERTS } from '../alerts/texts';
import { problemsByField } from '../api/errors';
import { COMMON } from '../lib/common';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { Failed } from '../shell/states';
import { Backtest } from './backtest';
import type { Rule } from './rule';
import { RULES } from './texts';
import { tuningOf, typedOf } from './tuning';
import type { useBacktest } from './use-backtest';

interface Props {
  readonly rule: Rule;
  readonly backtest: ReturnType<typeof useBacktest>;
}

/**
 * The tenant's changes to a rule without editing its file, and a backtest of what is typed. An empty setting is as in
 * the file. Settings that would change nothing of the rule are not offered.
 */
export function TuneRule({ rule, backtest }: Props) {
  const t = useTexts(RULES);
  const words = useTexts(ALERTS);
  const common = useTexts(COMMON);
  const { tenantId, ruleId, settings } = rule;
  const mutate = useMutate();
  const [typed, setTyped] = useKept(`tuning ${ruleId}`, () => typedOf(rule.tuning));
  const [error, setError] = useState<Error | null>(null);
  const problems = problemsByField(error);
  const [isBusy, setIsBusy] = useState(false);
  const set = (part: Partial<typeof typed>) => setTyped((before) => ({ ...before, ...part }));
  const save = async (tuning: () => object) => {
    setIsBusy(true);
    setError(null);
    try {
      await mutate(TuneRuleDocument, { tenantId, ruleId, ...tuning() });
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setIsBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    return save(() => tuningOf(typed, settings, t));
  };
  return (
    <>
      <section aria-label={t.tuning}>
        <Title order={2} size="h6" mb={4}>
          {t.tuning}
        </Title>
        <Text size="xs" c="dimmed" mb="xs">
          {t.emptyAsFile}
        </Text>
        <form onSubmit={submit}>
          <Stack gap="xs">
            <Group gap="xs" align="flex-end">
              {settings.includes('threshold') && (
                <NumberInput
                  label={t.threshold}
                  w={110}
                  min={1}
                  error={problems.threshold}
                  value={typed.threshold}
                  onChange={(threshold) => set({ threshold })}
                />
              )}
              {settings.includes('timespan') && (
                <TextInput
                  label={t.time}
                  w={90}
                  placeholder="15m"
                  error={problems.timespan}
                  value={typed.timespan}
                  onChange={(event) => set({ timespan: event.currentTarget.value })}
                />
              )}
              {settings.includes('severity') && (
                <NativeSelect
                  label={t.level}
                  error={problems.severity}
                  value={typed.severity}
                  onChange={(event) => set({ severity: event.currentTarget.value })}
                  data={[
                    { value: '', label: t.asInFile },
                    ...SEVERITY_NAMES.map((name) => ({ value: name, label: words[name] })),
                  ]}
                />
              )}
              {settings.includes('dedupMinutes') && (
                <NumberInput
                  label={t.minutesOfAlert}
                  w={150}
                  min={1}
                  max={10_080}
                  error={problems.dedupMinutes}
                  value={typed.dedupMinutes}
                  onChange={(dedupMinutes) => set({ dedupMinutes })}
                />
              )}
            </Group>
            {settings.includes('exceptions') && (
              <Textarea
                label={t.exceptions}
                description={t.onePerLine}
                autosize
                minRows={2}
                error={problems.exceptions}
                value={typed.exceptions}
                onChange={(event) => set({ exceptions: event.currentTarget.value })}
              />
            )}
            {error && <Failed error={error} />}
            <Group gap="xs">
              <Button type="submit" loading={isBusy}>
                {common.save}
              </Button>
              {rule.tuning && (
                <Button variant="default" disabled={isBusy} onClick={() => save(() => ({}))}>
                  {t.asInFile}
                </Button>
              )}
            </Group>
          </Stack>
        </form>
      </section>
      <Backtest
        note={t.testsAbove}
        tested={() => ({ tenantId, ruleId, tuning: tuningOf(typed, settings, t) })}
        backtest={backtest}
      />
    </>
  );
}
