import { Button, FileButton, Group, List, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { ImportRulesDocument } from '../../generated/operations';
import { describeError } from '../api/errors';
import { ERRORS } from '../api/texts';
import { showHidden } from '../explore/event/marks';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { Backtest } from './backtest';
import { FromSearch } from './from-search';
import { type LineProblem, problemsOf } from './import-problems';
import { RULES } from './texts';
import { useBacktest } from './use-backtest';

interface Props {
  readonly tenantId: string;
  /** A filter of Explore from which to make a rule; '' for none. */
  readonly filter: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Imports a Sigma file, from disk or as text, as rules of the tenant, or shows its mistakes by line. */
export function ImportRules({ tenantId, filter, onClose, onDone }: Props) {
  const t = useTexts(RULES);
  const errors = useTexts(ERRORS);
  const mutate = useMutate();
  const backtest = useBacktest();
  const [source, setSource] = useKept('source', '');
  const [problems, setProblems] = useState<readonly LineProblem[]>([]);
  const submit = async () => {
    setProblems([]);
    try {
      await mutate(ImportRulesDocument, { tenantId, source });
    } catch (error) {
      const found = problemsOf(describeError(error as Error, errors).text);
      setProblems(found);
      throw found.length > 0 ? new Error(t.notTaken) : error;
    }
    onDone();
  };
  return (
    <FormDialog title={t.importRules} action={t.import} isOpen onClose={onClose} onSubmit={submit}>
      <Group>
        <FileButton accept=".yml,.yaml" onChange={async (file) => file && setSource(await file.text())}>
          {(props) => (
            <Button variant="default" {...props}>
              {t.chooseFile}
            </Button>
          )}
        </FileButton>
      </Group>
      <FromSearch filter={filter} onMade={setSource} />
      <Textarea
        label={t.sigmaFile}
        description={t.sigmaHolds}
        required
        autosize
        minRows={6}
        maxRows={16}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={source}
        onChange={(event) => setSource(event.currentTarget.value)}
      />
      {problems.length > 0 && (
        <List size="sm" aria-label={t.problems}>
          {problems.map(({ line, reason }) => (
            <List.Item key={`${line} ${reason}`}>
              <b>{t.line(line)}</b>: <span lang="en">{reason}</span>
              <Text size="xs" c="dimmed">
                <code>{showHidden(source.split('\n')[line - 1]?.trim() ?? '')}</code>
              </Text>
            </List.Item>
          ))}
        </List>
      )}
      {source.trim() !== '' && <Backtest tested={() => ({ tenantId, source })} backtest={backtest} />}
    </FormDialog>
  );
}
