import { Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../lib/language';
import { ruleOfSearch } from './search-rule';
import { RULES } from './texts';

interface Props {
  /** The filter with which the form begins. */
  readonly filter: string;
  readonly onMade: (source: string) => void;
}

/** Makes a rule file from a filter of Explore. The file can then be changed, tested and imported. */
export function FromSearch({ filter: given, onMade }: Props) {
  const t = useTexts(RULES);
  const [filter, setFilter] = useState(given);
  const [title, setTitle] = useState('');
  const [problem, setProblem] = useState('');
  const make = () => {
    try {
      onMade(ruleOfSearch(filter, { ruleId: crypto.randomUUID(), title: title.trim() || filter }, t));
      setProblem('');
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <div>
      <Group gap="xs" align="flex-end">
        <TextInput
          label={t.orFilter}
          placeholder={t.filterExample}
          flex={1}
          miw={200}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <TextInput
          label={t.titleOfRule}
          w={160}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <Button variant="default" disabled={filter.trim() === ''} onClick={make}>
          {t.makeRule}
        </Button>
      </Group>
      {problem && (
        <Text size="sm" c="red" role="alert" mt={4}>
          {problem}
        </Text>
      )}
    </div>
  );
}
