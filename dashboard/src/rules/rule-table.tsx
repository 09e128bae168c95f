import { Anchor, Text } from '@mantine/core';
import { DataTable } from 'mantine-datatable';
import type { MouseEvent } from 'react';
import { Link } from 'wouter';
import type { FindingCountsQuery } from '../../generated/operations';
import { Severity } from '../alerts/severity';
import { showHidden } from '../explore/event/marks';
import { useTexts } from '../lib/language';
import { LIST_TABLE } from '../lib/listed';
import { formatCount } from '../lib/numbers';
import { Opener } from '../lib/opener';
import { onRow } from '../lib/row-click';
import type { In } from '../lib/texts';
import { attackOf } from './attack';
import { EnableSwitch } from './enable-switch';
import type { Rule } from './rule';
import { BlindNote, type Coverage } from './rule-sight';
import { RULES } from './texts';

interface Props {
  readonly rules: readonly Rule[];
  /** Null: this sign-in may not see findings. */
  readonly counts: FindingCountsQuery['findingCounts'] | null;
  /** By rule id; empty while it is not known. */
  readonly coverage: ReadonlyMap<string, Coverage>;
  readonly canWork: boolean;
  readonly onOpen: (rule: Rule) => void;
}

export function RuleTable({ rules, counts, coverage, canWork, onOpen }: Props) {
  const t = useTexts(RULES);
  const countOf = new Map(counts?.map(({ ruleId, findings }) => [ruleId, findings]));
  return (
    <DataTable
      {...LIST_TABLE}
      highlightOnHover
      minHeight={160}
      idAccessor="ruleId"
      records={[...rules]}
      noRecordsText={t.noRuleMatches}
      onRowClick={onRow(onOpen)}
      columns={[
        {
          accessor: 'enabled',
          title: t.enabled,
          render: (rule) => <EnableSwitch rule={rule} canWork={canWork} />,
        },
        {
          accessor: 'severity',
          title: t.level,
          render: ({ severity }) => (severity ? <Severity severity={severity} /> : t.filter),
        },
        {
          accessor: 'title',
          title: t.rule,
          render: (rule) => (
            <div style={{ minWidth: 200 }}>
              <span lang="en">
                <Opener onOpen={() => onOpen(rule)}>{showHidden(rule.title)}</Opener>
              </span>
              <Text size="xs" c="dimmed">
                {about(rule, t)}
              </Text>
              {rule.enabled && <BlindNote coverage={coverage.get(rule.ruleId)} />}
            </div>
          ),
        },
        { accessor: 'tags', title: 'ATT&CK', render: ({ tags }) => attackOf(tags).join(', ') || '–' },
        ...(counts
          ? [
              {
                accessor: 'findings',
                title: t.findingsIn7,
                textAlign: 'right' as const,
                render: ({ ruleId }: Rule) => <Findings ruleId={ruleId} count={countOf.get(ruleId) ?? 0} />,
              },
            ]
          : []),
      ]}
    />
  );
}

function about(rule: Rule, t: In<typeof RULES>): string {
  const { kind, shipped, tuning, enabled, narrows, narrowedBy } = rule;
  if (kind === 'filter') return enabled ? t.narrows(narrows.length) : t.filter;
  const origin = shipped ? t.cameWith : t.ownRule;
  const narrowed = narrowedBy.length > 0 && t.narrowedBy(narrowedBy.length);
  return [origin, tuning && t.tuned, narrowed].filter(Boolean).join(', ');
}

const Findings = ({ ruleId, count }: { readonly ruleId: string; readonly count: number }) => {
  const t = useTexts(RULES);
  return count === 0 ? (
    '0'
  ) : (
    <Anchor
      component={Link}
      size="sm"
      href={`/alerts?ruleId=${ruleId}`}
      onClick={(event: MouseEvent) => event.stopPropagation()}
    >
      {formatCount(count)}
      <span className="sr-only"> {t.findingsLink}</span>
    </Anchor>
  );
};
