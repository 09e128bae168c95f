import { Badge, Text } from '@mantine/core';
import { OUTCOMES } from './outcomes';

/** Colour is for what failed. */
export const Outcome = ({ succeeded }: { readonly succeeded: boolean }) =>
  succeeded ? (
    <Text span size="sm" c="dimmed">
      {OUTCOMES.true}
    </Text>
  ) : (
    <Badge variant="light" color="red" size="sm" tt="none">
      {OUTCOMES.false}
    </Badge>
  );
