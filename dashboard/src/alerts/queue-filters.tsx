import { Button, Group, NativeSelect } from '@mantine/core';
import { AppliedInput } from '../lib/applied-input';
import { COMMON } from '../lib/common';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { FILTERS_CLASS } from '../lib/listed';
import { formatCount } from '../lib/numbers';
import type { In } from '../lib/texts';
import { type AlertCount, sumOf } from './alert-counts';
import { SEVERITY_NAMES } from './alert-words';
import {
  isFiltered,
  NO_FILTERS,
  type QueueChange,
  type QueueState,
  SORT_NAMES,
  SORTS,
  type Sort,
} from './queue-state';
import { ALERTS } from './texts';

interface Props {
  readonly state: QueueState;
  /** Null: not known yet. */
  readonly counts: readonly AlertCount[] | null;
  readonly change: (change: QueueChange) => void;
}

/** The filters and the order of the queue, with the number of alerts of each choice. */
export function QueueFilters({ state, counts, change }: Props) {
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(ALERTS);
  const { status, severity, ruleId } = state;
  return (
    <Group gap="xs" align="flex-end" className={FILTERS_CLASS}>
      <Group gap={4} role="group" aria-label={common.severity}>
        {SEVERITY_NAMES.map((name) => (
          <Button
            key={name}
            variant={severity === name ? 'filled' : 'default'}
            aria-pressed={severity === name}
            onClick={() => change({ severity: severity === name ? null : name })}
          >
            {t[name]} {counts ? formatCount(sumOf(counts, { status, severity: name, ruleId })) : '…'}
          </Button>
        ))}
      </Group>
      <NativeSelect
        label={t.rule}
        maw={300}
        value={ruleId ?? ''}
        onChange={(event) => change({ ruleId: event.currentTarget.value || null })}
        data={[{ value: '', label: t.anyRule }, ...rulesOf(counts ?? [], state, t)]}
      />
      <AppliedInput
        label={labels.serverPrincipalName}
        value={state.principalName}
        onChange={(principalName) => change({ principalName })}
      />
      <AppliedInput
        label={labels.serverInstanceName}
        value={state.serverInstanceName}
        onChange={(serverInstanceName) => change({ serverInstanceName })}
      />
      <NativeSelect
        label={t.order}
        value={state.sortBy}
        onChange={(event) => change({ sortBy: event.currentTarget.value as Sort })}
        data={SORT_NAMES.map((value) => ({ value, label: t[SORTS[value]] }))}
      />
      {isFiltered(state) && (
        <Button variant="subtle" onClick={() => change(NO_FILTERS)}>
          {t.removeFilters}
        </Button>
      )}
    </Group>
  );
}

/** The rules with alerts in this state, and the chosen rule; those with the most alerts first. */
function rulesOf(
  counts: readonly AlertCount[],
  { status, severity, ruleId }: QueueState,
  t: In<typeof ALERTS>,
) {
  const titles = new Map(counts.map((count) => [count.ruleId, count.title]));
  if (ruleId && !titles.has(ruleId)) titles.set(ruleId, t.ruleWithout);
  return [...titles]
    .map(([value, title]) => ({ value, title, alerts: sumOf(counts, { status, severity, ruleId: value }) }))
    .filter(({ value, alerts }) => alerts > 0 || value === ruleId)
    .sort((a, b) => b.alerts - a.alerts)
    .map(({ value, title, alerts }) => ({ value, label: `${title} (${formatCount(alerts)})` }));
}
