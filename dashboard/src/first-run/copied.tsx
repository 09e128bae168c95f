import { Button, Code, Group, Stack } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { saveFile } from '../lib/save-file';
import { FIRST_RUN } from './texts';

/** A text that is copied or saved as a whole. @param props.file its name where it is saved */
export function Copied({ label, text, file }: { label: string; text: string; file?: string }) {
  const common = useTexts(COMMON);
  const t = useTexts(FIRST_RUN);
  const { copied, copy } = useClipboard({ timeout: 4000 });
  return (
    <Stack gap={4}>
      <Code
        block
        role="region"
        aria-label={label}
        // It scrolls, and has nothing else that a keyboard could reach.
        tabIndex={0}
        style={{ whiteSpace: 'pre', overflowX: 'auto' }}
      >
        {text}
      </Code>
      <Group gap={6}>
        <Button size="compact-xs" variant="default" onClick={() => copy(text)}>
          {copied ? common.copied : common.copy}
          <span className="sr-only"> {label}</span>
        </Button>
        {file !== undefined && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => saveFile({ name: file, content: new Blob([text], { type: 'application/json' }) })}
          >
            {t.saveAs(file)}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
