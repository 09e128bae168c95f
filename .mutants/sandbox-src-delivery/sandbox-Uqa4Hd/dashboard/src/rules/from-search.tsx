import { Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ruleOfSearch } from './search-rule';

interface Props {
  /** The filter with which the form begins. */
  readonly filter: string;
  readonly onMade: (source: string) => void;
}

/** Makes a rule file from a filter of Explore. The file can then be changed, tested and imported. */
export function FromSearch({ filter: given, onMade }: Props) {
  const [filter, setFilter] = useState(given);
  const [title, setTitle] = useState('');
  const [problem, setProblem] = useState('');
  const make = () => {
    try {
      onMade(ruleOfSearch(filter, { ruleId: crypto.randomUUID(), title: title.trim() || filter }));
      setProblem('');
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <div>
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Or a filter of Explore"
          placeholder="databaseName:Payroll AND succeeded:false"
          flex={1}
          miw={200}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <TextInput
          label="Title of the rule"
          w={160}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <Button variant="default" disabled={filter.trim() === ''} onClick={make}>
          Make a rule
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
