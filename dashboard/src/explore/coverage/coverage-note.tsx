import { Button, List, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { GAP_REASONS } from '../../../../src/event/source-report';
import { formatCount } from '../../lib/numbers';
import { formatTime, type TimeZone } from '../../lib/time';
import classes from './coverage.module.css';
import { missingIn, nameOf, silentSince } from './missing';
import type { Coverage } from './use-coverage';

/** So many sources are named; of more their number is told. */
const NAMED_MAX = 3;

type Source = Coverage['sources'][number];

interface Props {
  readonly coverage: Coverage;
  readonly fromMs: number;
  readonly toMs: number;
  readonly zone: TimeZone;
}

/** Whether anything may be missing of what is shown, and of which source. */
export function CoverageNote({ coverage, fromMs, toMs, zone }: Props) {
  const [isOpen, { toggle }] = useDisclosure();
  const { sources, sourceCount, gapCount } = coverage;
  if (sourceCount === 0) return null;
  const missing = missingIn(coverage, fromMs, toMs, Date.now());
  const isWhole = missing.length === 0 && gapCount === 0;
  const lacking = sources.filter((source) => missing.some((one) => one.source === nameOf(source)));
  const shown = isWhole ? sources : lacking;
  const gapsOf = (source: Source) => coverage.gaps.filter((gap) => nameOf(gap) === nameOf(source));
  const Icon = isWhole ? IconCircleCheck : IconAlertTriangle;
  return (
    <section aria-label="Completeness" className={classes.note} data-lacking={!isWhole || undefined}>
      <Icon size={18} aria-hidden />
      <div>
        {shown.length <= NAMED_MAX ? (
          shown.map((source) => (
            <Text key={nameOf(source)} size="sm">
              {sentenceOf(source, gapsOf(source), zone)}
            </Text>
          ))
        ) : (
          <Text size="sm">
            {isWhole
              ? `All ${formatCount(sourceCount)} sources report; no gap.`
              : `${formatCount(lacking.length)} of ${formatCount(sourceCount)} sources may lack events of this range, with ${formatCount(gapCount)} gaps.`}
            <Button size="compact-xs" variant="subtle" aria-expanded={isOpen} onClick={toggle}>
              {isOpen ? 'Hide' : 'Which'}
            </Button>
          </Text>
        )}
        {isOpen && shown.length > NAMED_MAX && (
          <List size="sm" className={classes.list}>
            {shown.map((source) => (
              <List.Item key={nameOf(source)}>{sentenceOf(source, gapsOf(source), zone)}</List.Item>
            ))}
          </List>
        )}
      </div>
    </section>
  );
}

/** `SQLPROD02 (Payroll) reported until 23:41; no gap` */
function sentenceOf(source: Source, own: Coverage['gaps'], zone: TimeZone): string {
  const since = silentSince(source, Date.now());
  const time = (text: string | null) => (text ? formatTime(text, zone) : 'an unknown time');
  const until =
    since === null
      ? `reports, complete until ${time(source.completeThrough ?? source.lastEventTime)}`
      : `reported until ${time(source.lastReported)}${source.hasProblem ? ', with a problem' : ''}, complete until ${time(source.completeThrough)}`;
  const [first] = own;
  const gaps =
    first === undefined
      ? 'no gap'
      : `${formatCount(own.length)} ${own.length === 1 ? 'gap' : 'gaps'}: ${GAP_REASONS[first.reason]}, between ${time(first.afterTime)} and ${time(first.beforeTime)}`;
  return `${nameOf(source)} ${until}; ${gaps}.`;
}
