import { Button, Group, NativeSelect } from '@mantine/core';
import { AppliedInput } from '../lib/applied-input';
import { formatCount } from '../lib/numbers';
import { type AlertCount, sumOf } from './alert-counts';
import { capital, SEVERITY_NAMES } from './alert-words';
import { isFiltered, NO_FILTERS, type QueueChange, type QueueState, SORTS, type Sort } from './queue-state';

interface Props {
  readonly state: QueueState;
  readonly counts: readonly AlertCount[];
  readonly change: (change: QueueChange) => void;
}

/** The filters and the order of the queue, with the number of alerts of each choice. */
export function QueueFilters({ state, counts, change }: Props) {
  const { status, severity, ruleId } = state;
  return (
    <Group gap="xs" align="flex-end">
      <Group gap={4} role="group" aria-label="Severity">
        {SEVERITY_NAMES.map((name) => (
          <Button
            key={name}
            size="sm"
            variant={severity === name ? 'filled' : 'default'}
            aria-pressed={severity === name}
            onClick={() => change({ severity: severity === name ? null : name })}
          >
            {capital(name)} {formatCount(sumOf(counts, { status, severity: name, ruleId }))}
          </Button>
        ))}
      </Group>
      <NativeSelect
        label="Rule"
        maw={300}
        value={ruleId ?? ''}
        onChange={(event) => change({ ruleId: event.currentTarget.value || null })}
        data={[{ value: '', label: 'Any rule' }, ...rulesOf(counts, state)]}
      />
      <AppliedInput
        label="Principal"
        value={state.principalName}
        onChange={(principalName) => change({ principalName })}
      />
      <AppliedInput
        label="Server instance"
        value={state.serverInstanceName}
        onChange={(serverInstanceName) => change({ serverInstanceName })}
      />
      <NativeSelect
        label="Order"
        value={state.sortBy}
        onChange={(event) => change({ sortBy: event.currentTarget.value as Sort })}
        data={Object.entries(SORTS).map(([value, label]) => ({ value, label }))}
      />
      {isFiltered(state) && (
        <Button variant="subtle" onClick={() => change(NO_FILTERS)}>
          Remove filters
        </Button>
      )}
    </Group>
  );
}

/** The rules with alerts in this state, and the chosen rule; those with the most alerts first. */
function rulesOf(counts: readonly AlertCount[], { status, severity, ruleId }: QueueState) {
  const titles = new Map(counts.map((count) => [count.ruleId, count.title]));
  if (ruleId && !titles.has(ruleId)) titles.set(ruleId, 'A rule without alerts');
  return [...titles]
    .map(([value, title]) => ({ value, title, alerts: sumOf(counts, { status, severity, ruleId: value }) }))
    .filter(({ value, alerts }) => alerts > 0 || value === ruleId)
    .sort((a, b) => b.alerts - a.alerts)
    .map(({ value, title, alerts }) => ({ value, label: `${title} (${formatCount(alerts)})` }));
}
