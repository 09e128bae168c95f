import { Badge } from '@mantine/core';

/** Words for `succeeded`. */
export const OUTCOMES: Readonly<Record<string, string>> = { true: 'Succeeded', false: 'Failed' };

export const Outcome = ({ succeeded }: { readonly succeeded: boolean }) => (
  <Badge variant="light" color={succeeded ? 'green' : 'red'} size="sm" tt="none">
    {OUTCOMES[String(succeeded)]}
  </Badge>
);
