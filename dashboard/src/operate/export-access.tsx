import { Button, Group, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { csvLine } from '../lib/csv';
import { useTexts } from '../lib/language';
import { saveFile } from '../lib/save-file';
import { Failed } from '../shell/states';
import { COLUMNS, type EntryFilter, entriesOf } from './entries-of';
import { OPERATE } from './texts';

/** Exports all entries that match the filters, newest first, as CSV. It stops if it is cancelled or the page is left. */
export function ExportAccess({ filter }: { readonly filter: EntryFilter }) {
  const t = useTexts(OPERATE);
  const client = useClient();
  const running = useRef<AbortController | null>(null);
  const [written, setWritten] = useState<number | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const stop = new AbortController();
    running.current = stop;
    setError(null);
    setWritten(0);
    const parts = [new Blob([csvLine(COLUMNS)])];
    try {
      let count = 0;
      for await (const entries of entriesOf(client, filter, stop.signal)) {
        const lines = entries.map((entry) => csvLine(COLUMNS.map((name) => cellOf(entry[name]))));
        parts.push(new Blob(lines));
        count += entries.length;
        setWritten(count);
      }
      saveFile({ name: 'access-log.csv', content: new Blob(parts, { type: 'text/csv' }) });
    } catch (thrown) {
      if (!stop.signal.aborted) setError(thrown as Error);
    } finally {
      setWritten(null);
    }
  };
  if (written !== null)
    return (
      <Group gap="xs">
        <Text size="sm" role="status">
          {t.entries(written)}
        </Text>
        <Button variant="default" onClick={() => running.current?.abort()}>
          {t.cancelExport}
        </Button>
      </Group>
    );
  return (
    <>
      {error && <Failed error={error} />}
      <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={start}>
        {t.export}
      </Button>
    </>
  );
}

const cellOf = (value: unknown): string => (Array.isArray(value) ? value.join(' ') : String(value ?? ''));
