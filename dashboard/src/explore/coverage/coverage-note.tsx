import { Button, List, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { COMMON } from '../../lib/common';
import { useTexts } from '../../lib/language';
import { serviceNowMs } from '../../lib/service-clock';
import type { In } from '../../lib/texts';
import { formatTime, type TimeZone } from '../../lib/time';
import { EXPLORE } from '../texts';
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
  const common = useTexts(COMMON);
  const t = useTexts(EXPLORE);
  const [isOpen, { toggle }] = useDisclosure();
  const { sources, sourceCount, otherSourceCount, gapCount, holdCount } = coverage;
  if (sourceCount === 0) return null;
  const missing = missingIn(coverage, fromMs, toMs, serviceNowMs());
  const isWhole = missing.length === 0 && gapCount === 0;
  const lacking = sources.filter((source) => missing.some((one) => one.source === idOf(source)));
  const shown = isWhole ? sources : lacking;
  const gapsOf = (source: Source) => coverage.gaps.filter((gap) => idOf(gap) === idOf(source));
  // The service sends the worst sources first: if all of these lack something, further ones may too.
  const isAtLeast = lacking.length === sources.length && sourceCount > sources.length;
  const Icon = isWhole ? IconCircleCheck : IconAlertTriangle;
  return (
    <section aria-label={t.completeness} className={classes.note} data-lacking={!isWhole || undefined}>
      <Icon size={16} aria-hidden />
      <div>
        {shown.length <= NAMED_MAX ? (
          shown.map((source) => (
            <Text key={idOf(source)} size="xs">
              {sentenceOf(source, gapsOf(source), zone, t, common)}
            </Text>
          ))
        ) : (
          <Text size="xs">
            {!isWhole
              ? t.mayLack(lacking.length, sourceCount, gapCount, isAtLeast)
              : sources.some(({ retiredAt }) => retiredAt !== null)
                ? t.allInUseReport
                : t.allReport(sourceCount)}
            <Button size="compact-xs" variant="subtle" aria-expanded={isOpen} onClick={toggle}>
              {isOpen ? t.hide : t.which}
            </Button>
          </Text>
        )}
        {otherSourceCount > 0 && (
          <Text size="xs" c="dimmed">
            {t.otherSources(otherSourceCount)}
          </Text>
        )}
        {holdCount > 0 && (
          <Text size="xs" c="dimmed">
            {t.holdsInForce(holdCount)}
          </Text>
        )}
        {isOpen && shown.length > NAMED_MAX && (
          <List size="sm" className={classes.list}>
            {shown.map((source) => (
              <List.Item key={idOf(source)}>{sentenceOf(source, gapsOf(source), zone, t, common)}</List.Item>
            ))}
          </List>
        )}
      </div>
    </section>
  );
}

/** `SQLPROD02 (Payroll) reported until 23:41, complete until 23:40; no gap.` */
function sentenceOf(
  source: Source,
  own: Coverage['gaps'],
  zone: TimeZone,
  t: In<typeof EXPLORE>,
  common: In<typeof COMMON>,
): string {
  const time = (text: string | null) => (text ? formatTime(text, zone) : t.unknownTime);
  const complete = source.completeThrough ? t.completeUntil(time(source.completeThrough)) : t.notComeYet;
  const [first] = own;
  const gaps =
    first === undefined
      ? t.noGap
      : t.gapsBetween(
          own.length,
          common[first.reason].replace(/\.$/, ''),
          time(first.afterTime),
          time(first.beforeTime),
        );
  return `${reportOf(source, time, t)}, ${complete}; ${gaps}.`;
}

function reportOf(source: Source, time: (text: string) => string, t: In<typeof EXPLORE>): string {
  const name = nameOf(source);
  if (source.retiredAt !== null) return t.wasRetired(name, time(source.retiredAt));
  if (source.standbySince !== null) return t.isStandby(name, time(source.standbySince));
  const nowMs = serviceNowMs();
  const problem = source.hasProblem ? `, ${t.withProblem}` : '';
  if (isSilent(source, nowMs)) return t.reportedUntil(name, time(source.lastReported)) + problem;
  if (problem) return t.reports(name) + problem;
  return lackingSince(source, nowMs) === null ? t.reports(name) : `${t.reports(name)}, ${t.isBehind}`;
}
