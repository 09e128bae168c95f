import { NativeSelect } from '@mantine/core';
import { REFRESHES, type Refresh } from './use-new-events';

interface Props {
  readonly every: Refresh;
  readonly onChange: (every: Refresh) => void;
}

export const AutoRefresh = ({ every, onChange }: Props) => (
  <NativeSelect
    aria-label="Refresh by itself"
    size="xs"
    w={110}
    data={Object.entries(REFRESHES).map(([value, { label }]) => ({ value, label }))}
    value={every}
    onChange={(event) => onChange(event.currentTarget.value as Refresh)}
  />
);
