import { type ReactNode, useState } from 'react';
import { onRow } from './row-click';

/**
 * The rows of a table that show their details below them. A click opens and closes one, and so does the `Opener` in it.
 * @param content the details of a row
 */
export function useOpenRows<T>(idOf: (row: T) => string, content: (row: T) => ReactNode) {
  const [open, setOpen] = useState<readonly string[]>([]);
  const toggle = (row: T) => {
    const id = idOf(row);
    setOpen((now) => (now.includes(id) ? now.filter((each) => each !== id) : [...now, id]));
  };
  return {
    toggle,
    isOpen: (row: T) => open.includes(idOf(row)),
    /** What the table is given. */
    props: {
      highlightOnHover: true,
      minHeight: 0,
      idAccessor: idOf,
      onRowClick: onRow(toggle),
      rowExpansion: {
        trigger: 'never' as const,
        allowMultiple: true,
        expanded: { recordIds: [...open] },
        collapseProps: { transitionDuration: 0 },
        content: ({ record }: { readonly record: T }) => content(record),
      },
    },
  };
}
