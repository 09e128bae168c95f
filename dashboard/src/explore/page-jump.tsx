import { Group, NumberInput, Text } from '@mantine/core';
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
      <NumberInput
        aria-label={t.goToPage}
        size="xs"
        w={90}
        min={1}
        max={props.pages}
        allowDecimal={false}
        hideControls
        defaultValue={props.page}
        onBlur={(event) => jump(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && jump(event.currentTarget.value)}
      />
      <Text size="sm">{t.ofPages(props.pages)}</Text>
    </Group>
  );
}
