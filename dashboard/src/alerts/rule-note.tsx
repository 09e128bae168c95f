import { Anchor, List, Text, Title } from '@mantine/core';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { RuleOfAlertDocument } from '../../generated/operations';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { Attack } from '../rules/attack';
import { Failed } from '../shell/states';
import { ALERTS } from './texts';
import type { Alert } from './use-queue';

/** What the alert's rule looks for, why that matters, and which harmless causes are possible. */
export function RuleNote({ alert }: { readonly alert: Alert }) {
  const common = useTexts(COMMON);
  const t = useTexts(ALERTS);
  const [{ data, error }, ask] = useQuery({
    query: RuleOfAlertDocument,
    variables: { tenantId: alert.tenantId },
  });
  if (error) return <Failed error={error} retry={ask} />;
  const rule = data?.detectionRules.find(({ ruleId }) => ruleId === alert.ruleId);
  if (!rule) return null;
  return (
    <section aria-labelledby="why">
      <Title order={2} size="h5" id="why">
        {t.whyItMatters}
      </Title>
      <Text size="sm" lang="en">
        {rule.why || rule.description}
      </Text>
      {rule.why && rule.description && (
        <Text size="sm" c="dimmed" mt={4}>
          {t.ruleSays} <span lang="en">{rule.description}</span>
        </Text>
      )}
      {rule.falsePositives.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="xs">
            {common.mayAlsoBe}
          </Text>
          <List size="sm" lang="en">
            {rule.falsePositives.map((text) => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
        </>
      )}
      <Attack tags={rule.tags} />
      <Anchor component={Link} size="sm" href={`/rules?tenantId=${alert.tenantId}&rule=${rule.ruleId}`}>
        {t.theRule}
      </Anchor>
    </section>
  );
}
