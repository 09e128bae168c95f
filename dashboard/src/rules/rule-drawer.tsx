import { Drawer, Group, List, Stack, Text, Title } from '@mantine/core';
import { Severity } from '../alerts/severity';
import { showHidden } from '../explore/event/marks';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { Attack } from './attack';
import { EnableSwitch } from './enable-switch';
import { RemoveRule } from './remove-rule';
import type { Rule } from './rule';
import { type Coverage, RuleSight } from './rule-sight';
import classes from './rules.module.css';
import { RULES } from './texts';
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
export const RuleDrawer = ({ rule, rules, coverage, canWork, onClose, onRemoved }: Props) => {
  const common = useTexts(COMMON);
  const t = useTexts(RULES);
  return (
    <Drawer
      opened={rule !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={t.rule}
      closeButtonProps={{ 'aria-label': common.close }}
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
};

function Detail({
  rule,
  rules,
  coverage,
  canWork,
  onRemoved,
}: Omit<Props, 'rule' | 'onClose'> & { readonly rule: Rule }) {
  const common = useTexts(COMMON);
  const t = useTexts(RULES);
  const { title, severity, description, why, falsePositives, tags, source, version, ruleId } = rule;
  const backtest = useBacktest();
  const isFilter = rule.kind === 'filter';
  const related = rules.filter((one) => [...rule.narrows, ...rule.narrowedBy].includes(one.ruleId));
  return (
    <Stack>
      <div>
        <Text fw={600} lang="en">
          {showHidden(title)}
        </Text>
        <Group gap="xs" mt={6}>
          {severity ? <Severity severity={severity} /> : <Text size="sm">{t.filter}</Text>}
          <EnableSwitch rule={rule} canWork={canWork} />
          <Text size="xs" c="dimmed">
            {t.version(version, ruleId)}
          </Text>
        </Group>
      </div>
      <div>
        <Text size="sm" lang="en">
          {showHidden(description)}
        </Text>
        {why && (
          <Text size="sm" mt="xs" lang="en">
            {' '}
            {showHidden(why)}
          </Text>
        )}
        {falsePositives.length > 0 && (
          <>
            <Text size="sm" fw={600} mt="xs">
              {common.mayAlsoBe}
            </Text>
            <List size="sm" lang="en">
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
              {isFilter ? t.itNarrows : t.isNarrowedBy}
            </Text>
            {related.length === 0 && <Text size="sm">{t.noExisting}</Text>}
            <List size="sm" lang="en">
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
      <section aria-label={t.theFile}>
        <Title order={2} size="h6" mb={4}>
          {t.theFile}
        </Title>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
        <pre className={classes.source} tabIndex={0}>
          {showHidden(source)}
        </pre>
      </section>
    </Stack>
  );
}
