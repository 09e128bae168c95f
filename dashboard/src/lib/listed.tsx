import { Group, Pagination, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { textsAddress } from './address';
import { COMMON } from './common';
import { useTexts } from './language';
import classes from './listed.module.css';
import { useAddress } from './use-address';

/** The rows of a page of a long list. */
export const PAGE_ROWS = 50;
/** How a table of a long list looks: rows of 32 px. */
export const LIST_TABLE = {
  withTableBorder: true,
  fz: 'sm',
  className: classes.rows ?? '',
} as const;

/** The class of the filters above a long list. */
export const FILTERS_CLASS = classes.filters ?? '';

/** What stands below an open row, as a region of this name. */
export const RowDetails = (props: { readonly name: string; readonly children: ReactNode }) => (
  <Stack gap="xs" component="section" aria-label={props.name} className={classes.details}>
    {props.children}
  </Stack>
);

/** One line of text that may be longer than its column. */
export const NoteCell = ({ children }: { readonly children: ReactNode }) => (
  <span className={classes.note} {...(typeof children === 'string' ? { title: children } : {})}>
    {children}
  </span>
);

/** A search is a step of the history once somebody has stopped typing. */
const TYPING_MS = 250;
const ADDRESS = textsAddress(['search', 'state', 'page']);

/** What a long list shows, which stands in the address. */
export interface ListState {
  /** As it is typed. */
  readonly search: string;
  /** As it stands in the address. */
  readonly words: string;
  readonly setSearch: (text: string) => void;
  /** The state that the rows have; null: any, or those that the list shows at first. */
  readonly state: string | null;
  readonly setState: (state: string | null) => void;
  /** From 1. */
  readonly page: number;
  readonly setPage: (page: number) => void;
}

export function useListState(): ListState {
  const [given, setGiven] = useAddress(ADDRESS);
  const words = given.search ?? '';
  const [search, setSearch] = useState(words);
  // The words that this page has put into the address. Others come with a link, or with a step back.
  const own = useRef(words);
  if (own.current !== words) {
    own.current = words;
    setSearch(words);
  }
  const write = useDebouncedCallback((text: string) => {
    const next = text.trim();
    if (next === own.current) return;
    own.current = next;
    setGiven((now) => ({ ...now, search: next || null, page: null }));
  }, TYPING_MS);
  const page = Number(given.page);
  return {
    search,
    words,
    setSearch: (text) => {
      setSearch(text);
      write(text);
    },
    state: given.state,
    setState: (state) => setGiven((now) => ({ ...now, state, page: null })),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    setPage: (next) => setGiven((now) => ({ ...now, page: next > 1 ? String(next) : null })),
  };
}

/** The search of a long list, and the shown page. */
interface Paging extends Pick<ListState, 'search' | 'setSearch' | 'page' | 'setPage'> {
  readonly found: number;
  readonly pages: number;
}

interface Listed<T> extends Paging {
  /** The rows of the shown page. */
  readonly rows: readonly T[];
}

/** The rows of a long list that contain the words, a page at a time. @param textOf the searchable text of a row */
export function useListed<T>(list: ListState, all: readonly T[], textOf: (row: T) => string): Listed<T> {
  const words = list.search.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (row: T) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const found = words.length === 0 ? all : all.filter(holds);
  const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
  const page = Math.min(list.page, pages);
  return {
    ...list,
    rows: found.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS),
    found: found.length,
    page,
    pages,
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
