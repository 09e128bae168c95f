import { Badge, Button, Group, Paper, SimpleGrid, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { formatBytes } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { formatSince, formatSpan, formatTime } from '../lib/time';
import { formatRate } from '../lib/use-rates';
import { GapList } from './gap-list';
import { packageText, type Source, STATES, settingsText } from './source-state';
import { SOURCES } from './texts';

interface Props {
  readonly source: Source;
  /** Events a minute. */
  readonly rate: number | undefined;
  readonly nowMs: number;
}

export function SourceCard({ source, rate, nowMs }: Props) {
  const t = useTexts(SOURCES);
  const common = useTexts(COMMON);
  const [zone] = useTimeZone();
  const [isOpen, { toggle }] = useDisclosure();
  const { color, advice } = STATES[source.state];
  const settings = settingsText(source, t);
  const ofPackage = packageText(source, t);
  const facts = [
    [common.lastEvent, source.lastEventTime ? formatTime(source.lastEventTime, zone) : t.noneYet],
    [t.lastReport, common.ago(formatSince(source.lastReported, nowMs))],
    [t.lag, source.lag === null ? t.notCaughtUp : formatSpan(source.lag * 1000)],
    [t.waiting, formatBytes(source.waitingBytes)],
    [t.published, t.events(source.publishedCount)],
    [t.rate, formatRate(rate, common)],
  ];
  return (
    <Paper
      withBorder
      p="sm"
      component="article"
      aria-label={t.on(source.databaseName, source.hostName)}
      style={{ borderInlineStart: `4px solid var(--mantine-color-${color}-6)` }}
    >
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Title order={2} size="h5">
            {source.databaseName}
          </Title>
          <Text size="sm" c="dimmed">
            {source.tenantName} · {source.hostName} · {t.agent(source.agentVersion)}
          </Text>
        </div>
        <Badge color={color} variant="light" tt="none" style={{ flexShrink: 0 }}>
          {t[source.state]}
        </Badge>
      </Group>
      {settings && (
        <Text size="sm" mt={6} c={source.followsSettings ? 'dimmed' : undefined}>
          {settings}
        </Text>
      )}
      {ofPackage && (
        <Text size="sm" mt={6} c={source.packageState === 'INSTALLED' ? 'dimmed' : undefined}>
          {ofPackage}
          {source.packageReason && <span lang="en">: {source.packageReason}</span>}
        </Text>
      )}
      {advice && (
        <Text size="sm" mt={6}>
          {source.retiredReason ?? (source.problem ? <span lang="en">{source.problem}</span> : t[advice])}
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
            {isOpen ? t.hideGaps : t.gapsInTrail(source.gapCount)}
          </Button>
          {isOpen && <GapList source={source} zone={zone} />}
        </>
      )}
    </Paper>
  );
}
