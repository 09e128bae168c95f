import { Badge } from '@mantine/core';

export const Outcome = ({ succeeded }: { readonly succeeded: boolean }) => (
  <Badge variant="light" color={succeeded ? 'green' : 'red'} size="sm" tt="none">
    {succeeded ? 'Succeeded' : 'Failed'}
  </Badge>
);
