import { ScrollArea, Table } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useClient } from 'urql';
import { Link } from 'wouter';
import { GroupsOverTimeDocument } from '../../../generated/operations';
import { noAnswer } from '../../api/errors';
import { COMMON } from '../../lib/common';
import { useTexts } from '../../lib/language';
import { formatCount } from '../../lib/numbers';
import { formatTime, zoneName } from '../../lib/time';
import { useAnswer } from '../../lib/use-answer';
import { Failed, Loading } from '../../shell/states';
import { placeIn } from '../coverage/missing';
import { GapLane } from '../gap-lane';
import { ticksOf } from '../histogram-ticks';
import { EXPLORE } from '../texts';
import { fixedRange } from '../time-range';
import { barsCsv, endOf, type OverTime, type Series, seriesOf } from './bars-data';
import { ChartHead } from './chart-head';
import type { ChartProps } from './chart-props';
import { markHref } from './group-links';
import { groupVariables } from './group-rows';
import { valueText } from './group-text';
import classes from './groups.module.css';

const HEIGHT = 220;
/** Room beside the bars: for the numbers, and for half of the last label. */
const BESIDE = [52, 40] as const;
/** Room for the label of a tick. */
const LABEL_PX = 80;
const BUCKETS = 60;

/** The first groups over time, one part of a bar for each, and all others. */
export function Bars(props: ChartProps) {
  const { asked, filter, zone, controls } = props;
  const t = useTexts(EXPLORE);
  const client = useClient();
  const timeZone = zone === 'UTC' ? {} : { timeZone: zoneName(zone) };
  const variables = { ...groupVariables(filter, asked), ...timeZone, buckets: BUCKETS };
  const answered = useAnswer(variables, async (of) => {
    const { data, error } = await client.query(GroupsOverTimeDocument, of).toPromise();
    if (error || !data) throw error ?? noAnswer();
    return data.auditGroupsOverTime;
  });
  const { answer } = answered;
  return (
    <>
      <ChartHead
        controls={controls}
        extent={answer && t.barsExtent(answer.groups.length, answer.groupCount)}
        csv={answer && (() => barsCsv(asked.fields, answer))}
      />
      {answered.error && <Failed error={answered.error} />}
      {!answer && !answered.error && <Loading what={t.theGroups} rows={1} height={300} />}
      {answer && answer.starts.length > 0 && <Chart {...props} answer={answer} />}
    </>
  );
}

function Chart(props: ChartProps & { readonly answer: OverTime }) {
  const { asked, state, zone, missing, answer } = props;
  const { ref, width } = useElementSize();
  const t = useTexts(EXPLORE);
  const { fields } = asked;
  const all = seriesOf(answer);
  const most = Math.max(1, ...answer.events);
  const range = { fromMs: Date.parse(answer.starts[0] ?? ''), toMs: Date.parse(answer.endTime ?? '') };
  const gaps = missing.filter(({ fromMs, toMs }) => toMs >= range.fromMs && fromMs <= range.toMs);
  const plotPx = Math.max(LABEL_PX, width - BESIDE[0] - BESIDE[1]);
  const bars = { ...answer, buckets: answer.starts.map((start) => ({ start })) };
  const ticks = ticksOf(bars, zone, ((range.toMs - range.fromMs) * LABEL_PX) / plotPx);
  const left = (ms: number) => `${placeIn({ fromMs: ms, toMs: ms }, range).left}%`;
  const nameOf = ({ values }: Series) =>
    values ? values.map((value, i) => valueText(fields[i] ?? 'actionId', value, t)).join(' · ') : t.others;
  const groupsOf = ({ values }: Series) =>
    values?.flatMap((value, i) => {
      const field = fields[i];
      return field ? [[field, value] as const] : [];
    }) ?? [];
  const named = all.filter(({ values }) => values !== null).map(groupsOf);
  const hrefOf = (of: Series, bar?: number) => {
    const from = answer.starts[bar ?? 0] ?? '';
    const to = bar === undefined ? (answer.endTime ?? '') : endOf(answer, bar);
    const at = { range: fixedRange(Date.parse(from), Math.ceil(Date.parse(to))) };
    return markHref(state, of.values ? { only: groupsOf(of), ...at } : { not: named, ...at });
  };
  const titleOf = (of: Series, bar: number) =>
    `${nameOf(of)}, ${formatTime(answer.starts[bar] ?? '', zone)}: ${formatCount(of.events[bar] ?? 0)}`;
  return (
    <>
      <div ref={ref} aria-hidden data-testid="bars">
        <div
          className={classes.plot}
          style={{ marginLeft: BESIDE[0], marginRight: BESIDE[1], height: HEIGHT }}
        >
          <span className={classes.most}>{formatCount(most)}</span>
          {answer.starts.map((start, bar) => {
            const span = { fromMs: Date.parse(start), toMs: Date.parse(endOf(answer, bar)) };
            const { left: from, width: wide } = placeIn(span, range);
            return (
              <div key={start} className={classes.bar} style={{ left: `${from}%`, width: `${wide}%` }}>
                {all.map((one, place) => (
                  <Segment
                    key={nameOf(one)}
                    place={one.values ? place : 'others'}
                    share={(one.events[bar] ?? 0) / most}
                    title={titleOf(one, bar)}
                    href={(one.events[bar] ?? 0) > 0 ? hrefOf(one, bar) : null}
                  />
                ))}
              </div>
            );
          })}
          {gaps.map((gap) => {
            const { left: from, width: wide } = placeIn(gap, range);
            return (
              <div
                key={gap.fromMs}
                className={classes.hatch}
                style={{ left: `${from}%`, width: `max(${wide}%, 4px)` }}
              />
            );
          })}
        </div>
        <div className={classes.ticks} style={{ marginLeft: BESIDE[0], marginRight: BESIDE[1] }}>
          {ticks.map(({ ms, label }) => (
            <span key={ms} style={{ left: left(ms) }}>
              {label}
            </span>
          ))}
        </div>
      </div>
      <GapLane missing={gaps} {...range} zone={zone} beside={BESIDE} />
      <ul className={classes.legend}>
        {all.map((one, place) => (
          <li key={nameOf(one)}>
            <span className={classes.swatch} data-series={one.values ? place : 'others'} aria-hidden />
            <MarkLink href={hrefOf(one)}>{t.markOf(nameOf(one), one.total)}</MarkLink>
          </li>
        ))}
      </ul>
      <Numbers all={all} answer={answer} zone={zone} nameOf={nameOf} hrefOf={hrefOf} />
    </>
  );
}

function Segment(props: {
  readonly place: number | 'others';
  /** Of the height of the chart. */
  readonly share: number;
  readonly title: string;
  readonly href: string | null;
}) {
  const { place, share, title, href } = props;
  if (share === 0) return null;
  const style = { height: `max(1px, ${100 * share}%)` };
  if (href === null) return <span data-series={place} style={style} title={title} />;
  return <Link data-series={place} style={style} title={title} href={href} tabIndex={-1} />;
}

const MarkLink = ({ href, children }: { readonly href: string | null; readonly children: string }) =>
  href === null ? <span>{children}</span> : <Link href={href}>{children}</Link>;

/** The numbers of the bars, without bars that have no events. */
function Numbers(props: {
  readonly all: readonly Series[];
  readonly answer: OverTime;
  readonly zone: ChartProps['zone'];
  readonly nameOf: (of: Series) => string;
  readonly hrefOf: (of: Series, bar?: number) => string | null;
}) {
  const { all, answer, zone, nameOf, hrefOf } = props;
  const common = useTexts(COMMON);
  const t = useTexts(EXPLORE);
  return (
    <ScrollArea.Autosize
      mah={260}
      mt="xs"
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': t.overTimeTable }}
    >
      <Table withTableBorder striped fz="xs" verticalSpacing={1} className={classes.numbers}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{common.from}</Table.Th>
            {all.map((one) => (
              <Table.Th key={nameOf(one)} ta="right">
                <span title={nameOf(one)}>{nameOf(one)}</span>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {answer.starts.map(
            (start, bar) =>
              (answer.events[bar] ?? 0) > 0 && (
                <Table.Tr key={start}>
                  <Table.Td>{formatTime(start, zone)}</Table.Td>
                  {all.map((one) => (
                    <Table.Td key={nameOf(one)} ta="right">
                      {(one.events[bar] ?? 0) > 0 && (
                        <MarkLink href={hrefOf(one, bar)}>{formatCount(one.events[bar] ?? 0)}</MarkLink>
                      )}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ),
          )}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  );
}
