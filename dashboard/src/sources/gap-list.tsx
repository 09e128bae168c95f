import { Table, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { SourceGapsDocument } from '../../generated/operations';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { formatTime, type TimeZone } from '../lib/time';
import { Failed, Loading } from '../shell/states';
import type { Source } from './source-state';
import { SOURCES } from './texts';

/** The gaps: parts of the audit trail that could not be published, newest first. */
export function GapList({ source, zone }: { readonly source: Source; readonly zone: TimeZone }) {
  const common = useTexts(COMMON);
  const t = useTexts(SOURCES);
  const { tenantId, hostName, databaseName } = source;
  const [{ data, error }, ask] = useQuery({
    query: SourceGapsDocument,
    variables: { tenantId, hostName, databaseName },
  });
  const gaps = data?.auditSources[0]?.gaps;
  if (error) return <Failed error={error} retry={ask} />;
  if (!gaps) return <Loading what={t.theGaps} />;
  const time = (text: string | null) => (text ? formatTime(text, zone) : t.unknown);
  return (
    <>
      <Table.ScrollContainer minWidth={600}>
        <Table fz="sm" mt="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.found}</Table.Th>
              <Table.Th>{t.what}</Table.Th>
              <Table.Th>{t.file}</Table.Th>
              <Table.Th>{t.missingBetween}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {gaps.map((gap) => (
              <Table.Tr key={gap.gapId}>
                <Table.Td>{time(gap.detectedAt)}</Table.Td>
                <Table.Td title={gap.detail}>{common[gap.reason]}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{gap.fileName}</Table.Td>
                <Table.Td>
                  {time(gap.afterTime)} – {time(gap.beforeTime)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {source.gapCount > gaps.length && (
        <Text size="xs" c="dimmed">
          {t.newestOf(gaps.length, source.gapCount)}
        </Text>
      )}
    </>
  );
}
