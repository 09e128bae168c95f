import { Button, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useClient } from 'urql';
import { LIMITS } from '../../../../src/limits';
import { useTexts } from '../../lib/language';
import { saveFile } from '../../lib/save-file';
import { Failed } from '../../shell/states';
import type { ExploreFilter } from '../explore-filter';
import { EXPLORE } from '../texts';
import { type GroupQuestion, loadGroups } from './group-rows';
import { csvOf, extentOf } from './group-text';

interface Props {
  readonly filter: ExploreFilter;
  readonly asked: Omit<GroupQuestion, 'limit'>;
}

/** Saves all groups as CSV, in the order of the table, and says which part of all groups the file holds. */
export function GroupsAsCsv({ filter, asked }: Props) {
  const t = useTexts(EXPLORE);
  const client = useClient();
  const [state, setState] = useState<{ readonly extent?: string; readonly error?: Error }>({});
  const [isBusy, setIsBusy] = useState(false);
  const save = async () => {
    setIsBusy(true);
    setState({});
    try {
      const groups = await loadGroups(client, filter, { ...asked, limit: LIMITS.groupsListedMax });
      saveFile(csvOf(asked.fields, asked.sumOf, groups));
      setState({ extent: extentOf(groups, t) });
    } catch (error) {
      setState({ error: error as Error });
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <>
      <Button
        size="xs"
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
