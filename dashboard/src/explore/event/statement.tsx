import { Group, ScrollArea, SegmentedControl, Text, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import { CopyAction } from '../../lib/copy-action';
import { useTexts } from '../../lib/language';
import classes from '../explore.module.css';
import { formatStatement, highlightStatement } from './highlight';
import { markHits } from './mark-hits';
import { hasHidden, showHidden } from './marks';
import { hitsOf } from './search-hits';
import { EVENT } from './texts';

interface Props {
  readonly text: string;
  /** Matches the text that was searched for, which is marked. */
  readonly filter: string;
  readonly search: string;
  /** Whether a long statement scrolls in a place of its own; otherwise it is shown as long as it is. */
  readonly isCut?: boolean;
}

/** The statement as SQL Server recorded it, or formatted for reading. Only the recorded one is evidence and is copied. */
export default function Statement({ text, filter, search, isCut = false }: Props) {
  const t = useTexts(EVENT);
  const [shown, setShown] = useState('formatted');
  const formatted = useMemo(() => formatStatement(text), [text]);
  const html = useMemo(() => {
    const chosen = shown === 'formatted' && formatted !== null ? formatted : text;
    return withMarks(highlightStatement(showHidden(chosen)), hitsOf(filter, search));
  }, [shown, formatted, text, filter, search]);
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Title order={3} size="sm">
          {t.statement}
        </Title>
        <Group gap="xs">
          <SegmentedControl
            aria-label={t.statement}
            data={[
              { value: 'formatted', label: t.formatted },
              { value: 'original', label: t.original },
            ]}
            value={shown}
            onChange={setShown}
          />
          <CopyAction label={t.copyOriginal} text={() => text} />
        </Group>
      </Group>
      {hasHidden(text) && (
        <Text size="xs" c="red" mb={4}>
          {t.hasHidden}
        </Text>
      )}
      <ScrollArea.Autosize
        mah={isCut ? 320 : 'none'}
        viewportProps={{ tabIndex: 0, 'aria-label': t.statement }}
      >
        <pre
          className={classes.statement}
          data-testid="statement"
          // biome-ignore lint/security/noDangerouslySetInnerHtml: highlight.js escapes the text it is given
          dangerouslySetInnerHTML={{ __html: html }}
        />
      </ScrollArea.Autosize>
      {shown === 'formatted' && (
        <Text size="xs" c="dimmed" mt={4}>
          {formatted === null ? t.notFormatted : t.forReading}
        </Text>
      )}
    </div>
  );
}

function withMarks(html: string, hits: RegExp | null): string {
  if (!hits) return html;
  // The content of a template is not part of the page, so nothing in it is loaded or run.
  const template = document.createElement('template');
  template.innerHTML = `<pre>${html}</pre>`;
  const pre = template.content.firstElementChild as HTMLElement;
  markHits(pre, hits);
  return pre.innerHTML;
}
