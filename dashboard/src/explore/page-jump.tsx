import { Group, Text, TextInput } from '@mantine/core';
import { useTexts } from '../lib/language';
import { EXPLORE } from './texts';

/** The number of the shown page, as a field in which the reader can enter another. */
export function PageJump(props: {
  readonly page: number;
  readonly pages: number;
  readonly onJump: (page: number) => void;
}) {
  const t = useTexts(EXPLORE);
  const jump = (text: string) => {
    const page = Math.min(props.pages, Math.max(1, Math.trunc(Number(text))));
    if (page !== props.page && Number.isFinite(page)) props.onJump(page);
  };
  return (
    <Group gap={6}>
      <TextInput
        type="number"
        aria-label={t.goToPage}
        w={64}
        min={1}
        max={props.pages}
        step={1}
        defaultValue={props.page}
        onBlur={(event) => jump(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && jump(event.currentTarget.value)}
      />
      <Text size="xs">{t.ofPages(props.pages)}</Text>
    </Group>
  );
}
