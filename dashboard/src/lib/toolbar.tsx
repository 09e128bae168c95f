import { Group, type GroupProps } from '@mantine/core';
import { useRef } from 'react';
import { useOneStop } from './use-one-stop';

/** A row of controls that is one stop of the Tab key. */
export function Toolbar({ label, ...props }: GroupProps & { readonly label: string }) {
  const place = useRef<HTMLDivElement>(null);
  useOneStop(place);
  return <Group ref={place} role="toolbar" aria-label={label} {...props} />;
}
