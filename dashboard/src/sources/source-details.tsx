import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { COMMON } from '../lib/common';
import { Facts } from '../lib/facts';
import { useTexts } from '../lib/language';
import { RowDetails } from '../lib/listed';
import { formatBytes } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { formatSpan, formatTime } from '../lib/time';
import { GapList } from './gap-list';
import { packageText, type Source, STATES, settingsText } from './source-state';
import { SOURCES } from './texts';

/** What an agent reports on a database, in full. */
export function SourceDetails({ source }: { readonly source: Source }) {
  const t = useTexts(SOURCES);
  const common = useTexts(COMMON);
  const [zone] = useTimeZone();
  const [isOpen, { toggle }] = useDisclosure();
  const facts = [
    [common.lastEvent, source.lastEventTime ? formatTime(source.lastEventTime, zone) : t.noneYet],
    [t.lastReport, formatTime(source.lastReported, zone)],
    [t.lag, source.lag === null ? t.notCaughtUp : formatSpan(source.lag * 1000)],
    [t.waiting, formatBytes(source.waitingBytes)],
    [t.published, t.events(source.publishedCount)],
    [t.version, source.agentVersion],
  ] as const;
  return (
    <RowDetails name={t.on(source.databaseName, source.hostName)}>
      <SourceNotes source={source} />
      <Facts facts={facts} />
      {source.gapCount > 0 && (
        <div>
          <Button variant="default" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? t.hideGaps : t.gapsInTrail(source.gapCount)}
          </Button>
          {isOpen && <GapList source={source} zone={zone} />}
        </div>
      )}
    </RowDetails>
  );
}

/** What an operator has to know of a source: what is wrong with it, its settings, its package. Each is a line. */
function SourceNotes({ source }: { readonly source: Source }) {
  const notes = useNotes(source);
  return notes.map(({ key, text, said }) => (
    <Text size="sm" key={key} style={{ overflowWrap: 'anywhere' }}>
      {text}
      {said !== null && <span lang="en">{said}</span>}
    </Text>
  ));
}

interface Note {
  readonly key: string;
  readonly text: string;
  /** What the agent or an operator said, in its own words. */
  readonly said: string | null;
}

export function useNotes(source: Source): readonly Note[] {
  const t = useTexts(SOURCES);
  const { advice } = STATES[source.state];
  const own = source.retiredReason ?? source.problem;
  const settings = settingsText(source, t);
  const ofPackage = packageText(source, t);
  const { packageReason } = source;
  return [
    ...(advice ? [{ key: 'state', text: own === null ? t[advice] : '', said: own }] : []),
    ...(settings ? [{ key: 'settings', text: settings, said: null }] : []),
    ...(ofPackage
      ? [
          {
            key: 'package',
            text: packageReason ? `${ofPackage}: ` : ofPackage,
            said: packageReason,
          },
        ]
      : []),
  ];
}
