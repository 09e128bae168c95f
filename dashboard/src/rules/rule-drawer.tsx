import { Drawer, Group, List, Stack, Text, Title } from '@mantine/core';
import { Severity } from '../alerts/severity';
import { showHidden } from '../explore/event/marks';
import { Attack } from './attack';
import { EnableSwitch } from './enable-switch';
import { RemoveRule } from './remove-rule';
import type { Rule } from './rule';
import { type Coverage, RuleSight } from './rule-sight';
import classes from './rules.module.css';
import { TuneRule } from './tune-rule';
import { useBacktest } from './use-backtest';

interface Props {
  readonly rule: Rule | null;
  /** All rules of the tenant, to name the filters that narrow a rule by their titles. */
  readonly rules: readonly Rule[];
  readonly coverage: Coverage | undefined;
  readonly canWork: boolean;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

/** One rule: its purpose, the tenant's tuning, and a backtest. */
export const RuleDrawer = ({ rule, rules, coverage, canWork, onClose, onRemoved }: Props) => (
  <Drawer
    opened={rule !== null}
    onClose={onClose}
    position="right"
    size="lg"
    title="Rule"
    closeButtonProps={{ 'aria-label': 'Close' }}
  >
    {rule && (
      <Detail
        key={rule.ruleId}
        rule={rule}
        rules={rules}
        coverage={coverage}
        canWork={canWork}
        onRemoved={onRemoved}
      />
    )}
  </Drawer>
);

function Detail({
  rule,
  rules,
  coverage,
  canWork,
  onRemoved,
}: Omit<Props, 'rule' | 'onClose'> & { readonly rule: Rule }) {
  const { title, severity, description, why, falsePositives, tags, source, version, ruleId } = rule;
  const backtest = useBacktest();
  const isFilter = rule.kind === 'filter';
  const related = rules.filter((one) => [...rule.narrows, ...rule.narrowedBy].includes(one.ruleId));
  return (
    <Stack>
      <div>
        <Text fw={600}>{showHidden(title)}</Text>
        <Group gap="xs" mt={6}>
          {severity ? <Severity severity={severity} /> : <Text size="sm">Filter</Text>}
          <EnableSwitch rule={rule} canWork={canWork} />
          <Text size="xs" c="dimmed">
            Version {version} · {ruleId}
          </Text>
        </Group>
      </div>
      <div>
        <Text size="sm">{showHidden(description)}</Text>
        {why && (
          <Text size="sm" mt="xs">
            {showHidden(why)}
          </Text>
        )}
        {falsePositives.length > 0 && (
          <>
            <Text size="sm" fw={600} mt="xs">
              It may also be
            </Text>
            <List size="sm">
              {falsePositives.map((text) => (
                <List.Item key={text}>{showHidden(text)}</List.Item>
              ))}
            </List>
          </>
        )}
        <Attack tags={tags} />
        {(related.length > 0 || isFilter) && (
          <>
            <Text size="sm" fw={600} mt="xs">
              {isFilter ? 'It narrows' : 'It is narrowed by'}
            </Text>
            {related.length === 0 && <Text size="sm">No existing rule</Text>}
            <List size="sm">
              {related.map((one) => (
                <List.Item key={one.ruleId}>{showHidden(one.title)}</List.Item>
              ))}
            </List>
          </>
        )}
      </div>
      <RuleSight coverage={coverage} />
      {canWork && !isFilter && <TuneRule key={version} rule={rule} backtest={backtest} />}
      {canWork && !rule.shipped && <RemoveRule rule={rule} onRemoved={onRemoved} />}
      <section aria-label="The file">
        <Title order={2} size="h6" mb={4}>
          The file
        </Title>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
        <pre className={classes.source} tabIndex={0}>
          {showHidden(source)}
        </pre>
      </section>
    </Stack>
  );
}
