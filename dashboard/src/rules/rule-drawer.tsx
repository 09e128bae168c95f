import { Drawer, Group, List, Stack, Text, Title } from '@mantine/core';
import { Severity } from '../alerts/severity';
import { showHidden } from '../explore/event/marks';
import { Attack } from './attack';
import { Backtest } from './backtest';
import { EnableSwitch } from './enable-switch';
import type { Rule } from './rule';
import classes from './rules.module.css';
import { TuneRule } from './tune-rule';

interface Props {
  readonly rule: Rule | null;
  readonly canWork: boolean;
  readonly onClose: () => void;
}

/** One rule: what it is for, what the tenant set of it, and what it would have found. */
export const RuleDrawer = ({ rule, canWork, onClose }: Props) => (
  <Drawer
    opened={rule !== null}
    onClose={onClose}
    position="right"
    size="lg"
    title="Rule"
    closeButtonProps={{ 'aria-label': 'Close' }}
  >
    {rule && <Detail key={rule.ruleId} rule={rule} canWork={canWork} />}
  </Drawer>
);

function Detail({ rule, canWork }: { readonly rule: Rule; readonly canWork: boolean }) {
  const { title, severity, description, why, falsePositives, tags, source, version, tenantId, ruleId } = rule;
  return (
    <Stack>
      <div>
        <Text fw={600}>{showHidden(title)}</Text>
        <Group gap="xs" mt={6}>
          <Severity severity={severity} />
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
      </div>
      {canWork && <TuneRule key={version} rule={rule} />}
      {canWork && <Backtest tenantId={tenantId} ruleId={ruleId} />}
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
