import { Badge, Text } from '@mantine/core';
import { useTexts } from '../lib/language';
import { EXPLORE } from './texts';

/** Colour is for what failed. */
export const Outcome = ({ succeeded }: { readonly succeeded: boolean }) => {
  const t = useTexts(EXPLORE);
  return succeeded ? (
    <Text span size="sm" c="dimmed">
      {t.succeeded}
    </Text>
  ) : (
    <Badge variant="light" color="red" size="sm" tt="none">
      {t.failed}
    </Badge>
  );
};
