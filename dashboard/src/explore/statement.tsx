import { Group, SegmentedControl, Text, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import { CopyAction } from '../lib/copy-action';
import classes from './explore.module.css';
import { formatStatement, highlightStatement } from './highlight';

/** The statement as SQL Server recorded it, or laid out to be read: only the first is evidence, and is copied. */
export default function Statement({ text }: { readonly text: string }) {
  const [shown, setShown] = useState('formatted');
  const formatted = useMemo(() => formatStatement(text), [text]);
  const html = useMemo(
    () => highlightStatement(shown === 'formatted' && formatted !== null ? formatted : text),
    [shown, formatted, text],
  );
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Title order={3} size="sm">
          Statement
        </Title>
        <Group gap="xs">
          <SegmentedControl
            aria-label="Statement"
            size="xs"
            data={[
              { value: 'formatted', label: 'Formatted' },
              { value: 'original', label: 'Original' },
            ]}
            value={shown}
            onChange={setShown}
          />
          <CopyAction label="Copy the original statement" text={() => text} />
        </Group>
      </Group>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: highlight.js escapes the text it is given */}
      <pre className={classes.statement} data-testid="statement" dangerouslySetInnerHTML={{ __html: html }} />
      {shown === 'formatted' && (
        <Text size="xs" c="dimmed" mt={4}>
          {formatted === null
            ? 'This statement cannot be laid out anew; it is shown as recorded.'
            : 'Laid out for reading. The original is the evidence, and what is copied.'}
        </Text>
      )}
    </div>
  );
}
