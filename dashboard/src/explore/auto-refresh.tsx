import { NativeSelect } from '@mantine/core';
import { useTexts } from '../lib/language';
import { EXPLORE } from './texts';
import { REFRESHES, type Refresh } from './use-new-events';

interface Props {
  readonly every: Refresh;
  readonly onChange: (every: Refresh) => void;
}

export const AutoRefresh = ({ every, onChange }: Props) => {
  const t = useTexts(EXPLORE);
  return (
    <NativeSelect
      aria-label={t.refreshByItself}
      size="xs"
      w={110}
      data={Object.entries(REFRESHES).map(([value, { name }]) => ({ value, label: t[name] }))}
      value={every}
      onChange={(event) => onChange(event.currentTarget.value as Refresh)}
    />
  );
};
