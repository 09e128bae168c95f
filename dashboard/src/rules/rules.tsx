import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { FindingCountsDocument, RuleCoverageDocument, RulesDocument } from '../../generated/operations';
import { hasScope, mayWork } from '../api/rights';
import type { Session } from '../api/session';
import { textsAddress } from '../lib/address';
import { COMMON } from '../lib/common';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { serviceNowMs } from '../lib/service-clock';
import { chosenOf, TenantChoice, useTenants } from '../lib/tenant-choice';
import { DAY_MS } from '../lib/time';
import { useAddress } from '../lib/use-address';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import { attackOf } from './attack';
import { ImportRules } from './import-rules';
import { RuleDrawer } from './rule-drawer';
import { RuleTable } from './rule-table';
import { RULES } from './texts';

const COUNTED_DAYS = 7;
const ADDRESS = textsAddress(['tenantId', 'rule', 'filter'], 'rule');

/** The rules of a tenant: what each looks for, whether it is enabled, and its recent findings. */
export default function Rules({ session }: { readonly session: Session }) {
  const common = useTexts(COMMON);
  const t = useTexts(RULES);
  const [given, setGiven] = useAddress(ADDRESS);
  const { tenants, isKnown: hasTenants, error: notKnown } = useTenants(session);
  const tenantId = chosenOf(tenants, given.tenantId);
  const [{ data, error }, ask] = useQuery({
    query: RulesDocument,
    variables: { tenantId: tenantId ?? '' },
    pause: tenantId === null,
  });
  const [seen] = useQuery({
    query: RuleCoverageDocument,
    variables: { tenantId: tenantId ?? '' },
    pause: tenantId === null,
  });
  const coverage = new Map(seen.data?.ruleCoverage.map((one) => [one.ruleId, one]));
  const [startTime] = useState(() => new Date(serviceNowMs() - COUNTED_DAYS * DAY_MS).toISOString());
  const [found] = useQuery({
    query: FindingCountsDocument,
    variables: { startTime },
    pause: !hasScope(session, 'read:findings'),
  });
  const [text, setText] = useState('');
  const [isImporting, setIsImporting] = useKept('importing', given.filter !== null);
  const canWork = mayWork(session);
  const set = (name: 'tenantId' | 'rule', value: string | null) =>
    setGiven((now) => ({ ...now, [name]: value }));
  const rules = data?.detectionRules ?? [];
  const sigma = rules.filter(({ kind }) => kind === 'rule');
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = rules.filter(({ title, tags, severity, kind }) => {
    const all = [title, severity ?? kind, ...attackOf(tags)].join(' ').toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const counts = found.data?.findingCounts.filter((count) => count.tenantId === tenantId);
  // What stands in rows and columns decides their size: the list is drawn when its last part is there.
  const hasAnswer = (one: { readonly data?: unknown; readonly error?: unknown }) => !!(one.data ?? one.error);
  const isKnown = data && hasAnswer(seen) && (!hasScope(session, 'read:findings') || hasAnswer(found));
  return (
    <Stack gap="sm">
      <PageHead title={t.rules}>
        {canWork && tenantId && <Button onClick={() => setIsImporting(true)}>{t.importRules}</Button>}
      </PageHead>
      <Group gap="xs" align="flex-end">
        <TenantChoice tenants={tenants} value={tenantId} onChange={(value) => set('tenantId', value)} />
        <TextInput
          label={t.findRule}
          placeholder={t.findExample}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Text size="sm" role="status" pb={8}>
          {data && t.enabledOf(sigma.filter(({ enabled }) => enabled).length, sigma.length)}
        </Text>
      </Group>
      {notKnown && <Failed error={notKnown} />}
      {error && <Failed error={error} retry={ask} />}
      {!error && tenantId !== null && !isKnown && <Loading what={t.theRules} />}
      {session.kind === 'operator' && hasTenants && tenants.length === 0 && <Empty title={common.noTenant} />}
      {data && isKnown && (
        <RuleTable
          rules={shown}
          counts={counts ?? null}
          coverage={coverage}
          canWork={canWork}
          onOpen={({ ruleId }) => set('rule', ruleId)}
        />
      )}
      <RuleDrawer
        rule={rules.find(({ ruleId }) => ruleId === given.rule) ?? null}
        rules={rules}
        coverage={given.rule === null ? undefined : coverage.get(given.rule)}
        canWork={canWork}
        onClose={() => set('rule', null)}
        onRemoved={() => {
          set('rule', null);
          ask();
        }}
      />
      {isImporting && tenantId && (
        <ImportRules
          tenantId={tenantId}
          filter={given.filter ?? ''}
          onClose={() => setIsImporting(false)}
          onDone={ask}
        />
      )}
    </Stack>
  );
}
