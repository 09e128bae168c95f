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
import { capital, SEVERITY_NAMES } from '../alerts/severity';
import { useMutate } from '../lib/mutate';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/time';
import { Failed } from '../shell/states';
import { exceptionsOf, linesOf } from './exceptions';
import type { Rule } from './rule';

interface Tuning {
  readonly threshold?: number;
  readonly timespanMs?: number;
  readonly severity?: string;
  readonly dedupMinutes?: number;
  readonly exceptions?: readonly Readonly<Record<string, string>>[];
}

/** The tenant's changes to a rule without editing its file. An empty setting is as in the file. */
export function TuneRule({ rule }: { readonly rule: Rule }) {
  const mutate = useMutate();
  const tuning: Tuning = rule.tuning ? JSON.parse(rule.tuning) : {};
  const [threshold, setThreshold] = useState<number | string>(tuning.threshold ?? '');
  const [timespan, setTimespan] = useState(tuning.timespanMs ? spanText(tuning.timespanMs) : '');
  const [severity, setSeverity] = useState(tuning.severity ?? '');
  const [dedup, setDedup] = useState<number | string>(tuning.dedupMinutes ?? '');
  const [exceptions, setExceptions] = useState(linesOf(tuning.exceptions ?? []));
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const save = async (variables: object) => {
    setIsBusy(true);
    setError(null);
    try {
      const { tenantId, ruleId } = rule;
      await mutate(TuneRuleDocument, { tenantId, ruleId, ...variables });
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setIsBusy(false);
    }
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await save({
        threshold: threshold === '' ? null : Number(threshold),
        timespan: timespan.trim() || null,
        severity: severity || null,
        dedupMinutes: dedup === '' ? null : Number(dedup),
        exceptions: exceptionsOf(exceptions).map((exception) => JSON.stringify(exception)),
      });
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return (
    <section aria-label="Tuning">
      <Title order={2} size="h6" mb={4}>
        Tuning
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        Empty settings are as in the file.
      </Text>
      <form onSubmit={submit}>
        <Stack gap="xs">
          <Group gap="xs" align="flex-end">
            <NumberInput label="Threshold" w={110} min={1} value={threshold} onChange={setThreshold} />
            <TextInput
              label="Time"
              w={90}
              placeholder="15m"
              value={timespan}
              onChange={(event) => setTimespan(event.currentTarget.value)}
            />
            <NativeSelect
              label="Level"
              value={severity}
              onChange={(event) => setSeverity(event.currentTarget.value)}
              data={[
                { value: '', label: 'As in the file' },
                ...SEVERITY_NAMES.map((name) => ({ value: name, label: capital(name) })),
              ]}
            />
            <NumberInput
              label="Minutes of one alert"
              w={150}
              min={1}
              max={10_080}
              value={dedup}
              onChange={setDedup}
            />
          </Group>
          <Textarea
            label="Exceptions"
            description="One per line, in the filter language: principalName:svc_report AND hostName:APP01. An event with all values of a line is left out."
            autosize
            minRows={2}
            value={exceptions}
            onChange={(event) => setExceptions(event.currentTarget.value)}
          />
          {error && <Failed error={error} />}
          <Group gap="xs">
            <Button type="submit" loading={isBusy}>
              Save
            </Button>
            {rule.tuning && (
              <Button variant="default" disabled={isBusy} onClick={() => save({})}>
                As in the file
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </section>
  );
}

const UNITS = [
  [DAY_MS, 'd'],
  [HOUR_MS, 'h'],
  [MINUTE_MS, 'm'],
  [1000, 's'],
] as const;

/** A length of time as rule files write it, such as `15m`. */
function spanText(ms: number): string {
  const [unit, name] = UNITS.find(([each]) => ms % each === 0) ?? [1000, 's'];
  return `${Math.round(ms / unit)}${name}`;
}
