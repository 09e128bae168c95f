import { Anchor, Text } from '@mantine/core';
import { DataTable } from 'mantine-datatable';
import type { MouseEvent } from 'react';
import { Link } from 'wouter';
import type { FindingCountsQuery } from '../../generated/operations';
import { Severity } from '../alerts/severity';
import { showHidden } from '../explore/event/marks';
import { formatCount } from '../lib/numbers';
import { Opener } from '../lib/opener';
import { onRow } from '../lib/row-click';
import { attackOf } from './attack';
import { EnableSwitch } from './enable-switch';
import type { Rule } from './rule';
import { BlindNote, type Coverage } from './rule-sight';

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
  const countOf = new Map(counts?.map(({ ruleId, findings }) => [ruleId, findings]));
  return (
    <DataTable
      withTableBorder
      highlightOnHover
      minHeight={160}
      fz="sm"
      idAccessor="ruleId"
      records={[...rules]}
      noRecordsText="No rule matches"
      onRowClick={onRow(onOpen)}
      columns={[
        {
          accessor: 'enabled',
          title: 'Enabled',
          render: (rule) => <EnableSwitch rule={rule} canWork={canWork} />,
        },
        {
          accessor: 'severity',
          title: 'Level',
          render: ({ severity }) => (severity ? <Severity severity={severity} /> : 'Filter'),
        },
        {
          accessor: 'title',
          title: 'Rule',
          render: (rule) => (
            <div style={{ minWidth: 200 }}>
              <Opener onOpen={() => onOpen(rule)}>{showHidden(rule.title)}</Opener>
              <Text size="xs" c="dimmed">
                {about(rule)}
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
                title: 'Findings in 7 days',
                textAlign: 'right' as const,
                render: ({ ruleId }: Rule) => <Findings ruleId={ruleId} count={countOf.get(ruleId) ?? 0} />,
              },
            ]
          : []),
      ]}
    />
  );
}

function about({ kind, shipped, tuning, enabled, narrows, narrowedBy }: Rule): string {
  if (kind === 'filter') return enabled ? `Narrows ${count(narrows, 'rule')}` : 'Filter';
  const origin = shipped ? 'Came with the service' : 'Own rule';
  const narrowed = narrowedBy.length > 0 && `narrowed by ${count(narrowedBy, 'filter')}`;
  return [origin, tuning && 'tuned', narrowed].filter(Boolean).join(', ');
}
const count = ({ length }: readonly string[], what: string) =>
  `${length} ${length === 1 ? what : `${what}s`}`;

const Findings = ({ ruleId, count }: { readonly ruleId: string; readonly count: number }) =>
  count === 0 ? (
    '0'
  ) : (
    <Anchor
      component={Link}
      size="sm"
      href={`/alerts?ruleId=${ruleId}`}
      onClick={(event: MouseEvent) => event.stopPropagation()}
    >
      {formatCount(count)}
      <span className="sr-only"> findings: the new alerts of this rule</span>
    </Anchor>
  );
