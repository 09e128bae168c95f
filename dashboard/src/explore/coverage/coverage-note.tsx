import { Button, List, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { GAP_REASONS } from '../../../../src/event/source-report';
import { counted, formatCount } from '../../lib/numbers';
import { formatTime, type TimeZone } from '../../lib/time';
import classes from './coverage.module.css';
import { idOf, isSilent, lackingSince, missingIn, nameOf } from './missing';
import type { Coverage } from './use-coverage';

/** The most sources that are named; of further ones, the number is shown. */
const NAMED_MAX = 1;

type Source = Coverage['sources'][number];

interface Props {
  readonly coverage: Coverage;
  readonly fromMs: number;
  readonly toMs: number;
  readonly zone: TimeZone;
}

/** Says whether events may be missing from the shown range, and of which sources. */
export function CoverageNote({ coverage, fromMs, toMs, zone }: Props) {
  const [isOpen, { toggle }] = useDisclosure();
  const { sources, sourceCount, otherSourceCount, gapCount, holdCount } = coverage;
  if (sourceCount === 0) return null;
  const missing = missingIn(coverage, fromMs, toMs, Date.now());
  const isWhole = missing.length === 0 && gapCount === 0;
  const lacking = sources.filter((source) => missing.some((one) => one.source === idOf(source)));
  const shown = isWhole ? sources : lacking;
  const gapsOf = (source: Source) => coverage.gaps.filter((gap) => idOf(gap) === idOf(source));
  // The service sends the worst sources first: if all of these lack something, further ones may too.
  const atLeast = lacking.length === sources.length && sourceCount > sources.length ? 'At least ' : '';
  const Icon = isWhole ? IconCircleCheck : IconAlertTriangle;
  return (
    <section aria-label="Completeness" className={classes.note} data-lacking={!isWhole || undefined}>
      <Icon size={16} aria-hidden />
      <div>
        {shown.length <= NAMED_MAX ? (
          shown.map((source) => (
            <Text key={idOf(source)} size="xs">
              {sentenceOf(source, gapsOf(source), zone)}
            </Text>
          ))
        ) : (
          <Text size="xs">
            {isWhole
              ? `${sources.some(({ retiredAt }) => retiredAt !== null) ? 'All sources that are in use report' : `All ${formatCount(sourceCount)} sources report`}; no gap.`
              : `${atLeast}${formatCount(lacking.length)} of ${formatCount(sourceCount)} sources may lack events of this range; ${gapCount > 0 ? counted(gapCount, 'gap') : 'no gap'}.`}
            <Button size="compact-xs" variant="subtle" aria-expanded={isOpen} onClick={toggle}>
              {isOpen ? 'Hide' : 'Which'}
            </Button>
          </Text>
        )}
        {otherSourceCount > 0 && (
          <Text size="xs" c="dimmed">
            {counted(otherSourceCount, 'source')} of other hosts left out, as the filter says.
          </Text>
        )}
        {holdCount > 0 && (
          <Text size="xs" c="dimmed">
            {counted(holdCount, 'legal hold')} in force: older events than retention keeps are there only as
            far as a hold keeps them.
          </Text>
        )}
        {isOpen && shown.length > NAMED_MAX && (
          <List size="sm" className={classes.list}>
            {shown.map((source) => (
              <List.Item key={idOf(source)}>{sentenceOf(source, gapsOf(source), zone)}</List.Item>
            ))}
          </List>
        )}
      </div>
    </section>
  );
}

/** `SQLPROD02 (Payroll) reported until 23:41, complete until 23:40; no gap.` */
function sentenceOf(source: Source, own: Coverage['gaps'], zone: TimeZone): string {
  const time = (text: string | null) => (text ? formatTime(text, zone) : 'an unknown time');
  const complete = source.completeThrough
    ? `complete until ${time(source.completeThrough)}`
    : 'not everything of it has come yet';
  const [first] = own;
  const gaps =
    first === undefined
      ? 'no gap'
      : `${counted(own.length, 'gap')}: ${GAP_REASONS[first.reason].replace(/\.$/, '')}, between ${time(first.afterTime)} and ${time(first.beforeTime)}`;
  return `${nameOf(source)} ${reportOf(source, time)}, ${complete}; ${gaps}.`;
}

function reportOf(source: Source, time: (text: string) => string): string {
  if (source.retiredAt !== null) return `was retired at ${time(source.retiredAt)}`;
  if (source.standbySince !== null) return `is standby since ${time(source.standbySince)}`;
  const nowMs = Date.now();
  const problem = source.hasProblem ? ', with a problem' : '';
  if (isSilent(source, nowMs)) return `reported until ${time(source.lastReported)}${problem}`;
  if (problem) return `reports${problem}`;
  return lackingSince(source, nowMs) === null ? 'reports' : 'reports, but is behind';
}
