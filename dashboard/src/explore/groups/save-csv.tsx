import { Button, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTexts } from '../../lib/language';
import { saveFile } from '../../lib/save-file';
import { Failed } from '../../shell/states';
import { EXPLORE } from '../texts';

interface Csv {
  readonly name: string;
  readonly content: Blob;
  /** Which part of everything the file holds. */
  readonly extent: string;
}

/** Saves what is shown, or more of it, as CSV, and says which part of everything the file holds. */
export function SaveCsv({ load }: { readonly load: () => Promise<Csv> | Csv }) {
  const t = useTexts(EXPLORE);
  const [state, setState] = useState<{ readonly extent?: string; readonly error?: Error }>({});
  const [isBusy, setIsBusy] = useState(false);
  const save = async () => {
    setIsBusy(true);
    setState({});
    try {
      const csv = await load();
      saveFile(csv);
      setState({ extent: csv.extent });
    } catch (error) {
      setState({ error: error as Error });
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={14} aria-hidden />}
        loading={isBusy}
        onClick={save}
      >
        {t.groupsAsCsv}
      </Button>
      {state.extent && (
        <Text size="xs" role="status">
          {t.savedExtent(state.extent)}
        </Text>
      )}
      {state.error && <Failed error={state.error} />}
    </>
  );
}
