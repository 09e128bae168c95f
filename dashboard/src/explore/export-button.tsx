import { Button, Group, Progress, SegmentedControl, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { COMMON } from '../lib/common';
import { Dialog } from '../lib/dialog';
import { useTexts } from '../lib/language';
import { saveFile } from '../lib/save-file';
import { useCommands } from '../lib/use-commands';
import { Failed } from '../shell/states';
import type { ExploreFilter } from './explore-filter';
import { type ExportFormat, type ExportProgress, streamExport } from './export-stream';
import { EXPLORE } from './texts';

interface Props {
  readonly filter: ExploreFilter;
  readonly totalCount: number | undefined;
}

/** Exports all events that match the view, not only the page. */
export function ExportButton({ filter, totalCount }: Props) {
  const t = useTexts(EXPLORE);
  const [isOpen, { open, close }] = useDisclosure();
  useCommands(totalCount ? { export: open } : {});
  return (
    <>
      <Button
        variant="default"
        title={t.export}
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={open}
        disabled={!totalCount}
      >
        {t.export}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={t.exportView}>
        <ExportForm filter={filter} totalCount={totalCount ?? 0} onDone={close} />
      </Dialog>
    </>
  );
}

type State =
  | { kind: 'ready' }
  | { kind: 'running'; progress: ExportProgress; stop: AbortController }
  | { kind: 'failed'; error: Error };

function ExportForm(props: { filter: ExploreFilter; totalCount: number; onDone: () => void }) {
  const t = useTexts(EXPLORE);
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [state, setState] = useState<State>({ kind: 'ready' });
  const running = useRef<AbortController | null>(null);
  // Closing the dialog in any way cancels the export.
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const stop = new AbortController();
    running.current = stop;
    const show = (progress: ExportProgress) => setState({ kind: 'running', progress, stop });
    show({ events: 0, bytes: 0, totalCount: props.totalCount });
    try {
      const { filter, totalCount: expectedCount } = props;
      const file = await streamExport({
        format,
        filter,
        expectedCount,
        signal: stop.signal,
        onProgress: show,
        cut: t.cut,
      });
      saveFile(file);
      // Events are missing that the service still counts: somebody may have deleted them in the database.
      if (file.missing > 0)
        setState({
          kind: 'failed',
          error: new Error(t.exportDoubt(file.events, file.events + file.missing)),
        });
      else props.onDone();
    } catch (error) {
      setState(stop.signal.aborted ? { kind: 'ready' } : { kind: 'failed', error: error as Error });
    }
  };
  if (state.kind === 'running') return <Running {...state} />;
  return (
    <Stack>
      <Text size="sm">{t.exported(props.totalCount)}</Text>
      <SegmentedControl
        aria-label={t.format}
        data={[
          { value: 'csv', label: 'CSV' },
          { value: 'ndjson', label: 'NDJSON' },
        ]}
        value={format}
        onChange={(value) => setFormat(value as ExportFormat)}
      />
      {state.kind === 'failed' && <Failed error={state.error} />}
      <Button onClick={start} data-autofocus>
        {t.export}
      </Button>
    </Stack>
  );
}

function Running({ progress, stop }: { readonly progress: ExportProgress; readonly stop: AbortController }) {
  const common = useTexts(COMMON);
  const t = useTexts(EXPLORE);
  const { events, bytes, totalCount } = progress;
  const percent = totalCount === 0 ? 100 : Math.min(100, (100 * events) / totalCount);
  return (
    <Stack>
      <Text size="sm" role="status">
        {t.exportedSoFar(events, totalCount, bytes)}
      </Text>
      <Progress value={percent} aria-label={t.exportProgress} />
      <Group justify="flex-end">
        <Button variant="default" onClick={() => stop.abort()}>
          {common.cancel}
        </Button>
      </Group>
    </Stack>
  );
}
