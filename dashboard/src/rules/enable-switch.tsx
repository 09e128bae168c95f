import { Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { SetRuleEnabledDocument } from '../../generated/operations';
import { describeError } from '../api/errors';
import { ERRORS } from '../api/texts';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import type { Rule } from './rule';
import { RULES } from './texts';

/** Shows whether a rule is enabled, as a switch for people who may change it. */
export function EnableSwitch({ rule, canWork }: { readonly rule: Rule; readonly canWork: boolean }) {
  const t = useTexts(RULES);
  const errors = useTexts(ERRORS);
  const mutate = useMutate();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const { tenantId, ruleId, title, enabled } = rule;
  if (!canWork) return enabled ? t.yes : t.no;
  const set = async (next: boolean) => {
    setIsBusy(true);
    setProblem('');
    try {
      await mutate(SetRuleEnabledDocument, { tenantId, ruleId, enabled: next });
    } catch (error) {
      setProblem(describeError(error as Error, errors).text);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    // The row opens the rule; the switch does not.
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps a click to the switch
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys do not reach the row
    <div onClick={(event) => event.stopPropagation()}>
      <Switch
        aria-label={t.enabledRule(title)}
        checked={enabled}
        disabled={isBusy}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      {problem && (
        <Text size="xs" c="red" role="alert">
          {problem}
        </Text>
      )}
    </div>
  );
}
