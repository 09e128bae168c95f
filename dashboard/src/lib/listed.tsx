import { Group, Pagination, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { COMMON } from './common';
import { useTexts } from './language';

/** The rows of a page of a long list. */
export const PAGE_ROWS = 50;

/** The search of a long list, and the shown page. */
interface Paging {
  readonly found: number;
  readonly search: string;
  readonly setSearch: (text: string) => void;
  readonly page: number;
  readonly pages: number;
  readonly setPage: (page: number) => void;
}

interface Listed<T> extends Paging {
  /** The rows of the shown page. */
  readonly rows: readonly T[];
}

/** The rows of a long list that contain the words, a page at a time. @param textOf the searchable text of a row */
export function useListed<T>(all: readonly T[], textOf: (row: T) => string): Listed<T> {
  const [search, setSearch] = useState('');
  const [wanted, setPage] = useState(1);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (row: T) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const found = words.length === 0 ? all : all.filter(holds);
  const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
  const page = Math.min(wanted, pages);
  return {
    rows: found.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS),
    found: found.length,
    search,
    setSearch: (text) => {
      setSearch(text);
      setPage(1);
    },
    page,
    pages,
    setPage,
  };
}

interface Props {
  readonly listed: Paging;
  readonly label: string;
  /** A line with the number of rows and their name. */
  readonly summary: string;
  readonly children?: ReactNode;
}

/** The field that searches a list, with a line about its rows. */
export const ListHead = ({ listed, label, summary, children }: Props) => {
  const common = useTexts(COMMON);
  return (
    <Group gap="sm">
      <TextInput
        aria-label={label}
        placeholder={label}
        size="xs"
        leftSection={<IconSearch size={14} aria-hidden />}
        value={listed.search}
        onChange={(event) => listed.setSearch(event.currentTarget.value)}
      />
      {children}
      <Text size="sm" role="status">
        {summary}
        {listed.search && `; ${common.found(listed.found)}`}
      </Text>
    </Group>
  );
};

export const ListPages = ({ listed }: { readonly listed: Paging }) => {
  const common = useTexts(COMMON);
  return (
    listed.pages > 1 && (
      <Pagination
        size="sm"
        total={listed.pages}
        value={listed.page}
        onChange={listed.setPage}
        getControlProps={(control) => ({ 'aria-label': common[`${control}Page`] })}
      />
    )
  );
};
