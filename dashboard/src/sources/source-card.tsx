import { Badge, Button, Group, Paper, SimpleGrid, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { formatBytes, formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { formatSince, formatSpan, formatTime } from '../lib/time';
import { formatRate } from '../lib/use-rates';
import { GapList } from './gap-list';
import { type Source, STATES } from './source-state';

interface Props {
  readonly source: Source;
  /** Events a minute. */
  readonly rate: number | undefined;
  readonly nowMs: number;
}

export function SourceCard({ source, rate, nowMs }: Props) {
  const common = useTexts(COMMON);
  const [zone] = useTimeZone();
  const [isOpen, { toggle }] = useDisclosure();
  const { label, color, advice } = STATES[source.state];
  const facts = [
    [common.lastEvent, source.lastEventTime ? formatTime(source.lastEventTime, zone) : 'none yet'],
    ['Last report', common.ago(formatSince(source.lastReported, nowMs))],
    ['Lag', source.lag === null ? 'not caught up yet' : formatSpan(source.lag * 1000)],
    ['Waiting', formatBytes(source.waitingBytes)],
    ['Published', `${formatCount(source.publishedCount)} events`],
    ['Rate', formatRate(rate)],
  ];
  return (
    <Paper
      withBorder
      p="sm"
      component="article"
      aria-label={`${source.databaseName} on ${source.hostName}`}
      style={{ borderInlineStart: `4px solid var(--mantine-color-${color}-6)` }}
    >
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Title order={2} size="h5">
            {source.databaseName}
          </Title>
          <Text size="sm" c="dimmed">
            {source.tenantName} · {source.hostName} · agent {source.agentVersion}
          </Text>
        </div>
        <Badge color={color} variant="light" tt="none" style={{ flexShrink: 0 }}>
          {label}
        </Badge>
      </Group>
      {advice && (
        <Text size="sm" mt={6}>
          {source.retiredReason ?? source.problem ?? advice}
        </Text>
      )}
      <SimpleGrid cols={{ base: 2, xs: 3, lg: 6 }} mt="xs" spacing="xs">
        {facts.map(([name, value]) => (
          <div key={name}>
            <Text size="xs" c="dimmed">
              {name}
            </Text>
            <Text size="sm">{value}</Text>
          </div>
        ))}
      </SimpleGrid>
      {source.gapCount > 0 && (
        <>
          <Button size="compact-sm" variant="default" mt="xs" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? 'Hide gaps' : `${formatCount(source.gapCount)} gaps in the audit trail`}
          </Button>
          {isOpen && <GapList source={source} zone={zone} />}
        </>
      )}
    </Paper>
  );
}
