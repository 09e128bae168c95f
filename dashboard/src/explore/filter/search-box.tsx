import { Combobox, Group, Text, TextInput, useCombobox, VisuallyHidden } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { LIMITS } from '../../../../src/limits';
import { useKept } from '../../lib/kept';
import { useTexts } from '../../lib/language';
import { type ExploreFilter, type FilterProblem, problemOf } from '../explore-filter';
import { EXPLORE } from '../texts';
import type { TimeRange } from '../time-range';
import { complete, typedAt } from './completion';
import { EXAMPLES } from './examples';
import classes from './filter.module.css';
import { FilterHints } from './filter-hints';
import { ProblemText } from './problem-text';
import { type Suggestion, useSuggestions } from './use-suggestions';

/** The id of its input. */
export const FILTER_ID = 'event-filter';

interface Props {
  readonly value: string;
  readonly filter: ExploreFilter;
  /** Offered while nothing is typed. */
  readonly recent: readonly Suggestion[];
  readonly onSearch: (text: string, range?: TimeRange | null) => void;
  /** Called with whether the present text was entered and is not understood. */
  readonly onRefused: (isRefused: boolean) => void;
}

/** The filter as one line. It completes names and values, and shows what it does not understand. */
export function SearchBox({ value, filter, recent, onSearch, onRefused }: Props) {
  const t = useTexts(EXPLORE);
  const [text, setText] = useKept('filter', value);
  const [caret, setCaret] = useState(value.length);
  const [problem, setProblem] = useState<FilterProblem | null>(() => problemOf(value));
  const input = useRef<HTMLInputElement>(null);
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const shown = useRef(value);
  useEffect(() => {
    // What was typed before a sign-in stays until another filter is asked for.
    if (shown.current === value) return;
    shown.current = value;
    setText(value);
    setProblem(problemOf(value));
  }, [value, setText]);

  const isRefused = problem !== null;
  useEffect(() => onRefused(isRefused), [onRefused, isRefused]);

  const isOpen = combobox.dropdownOpened;
  const typed = isOpen ? typedAt(text, caret) : null;
  const suggested = useSuggestions(typed, filter);
  const isEmpty = text.trim() === '';
  const options = isEmpty ? recent : suggested;
  const examples = isEmpty ? EXAMPLES.filter(([each]) => options.every(({ insert }) => insert !== each)) : [];

  const edit = (next: string, at: number) => {
    setText(next);
    setCaret(at);
    setProblem(null);
    combobox.openDropdown();
    combobox.resetSelectedOption();
  };
  const search = (given: string, range?: TimeRange | null) => {
    const wanted = given.trim();
    const found = problemOf(wanted);
    setProblem(found);
    combobox.closeDropdown();
    if (!found) return onSearch(wanted, range);
    input.current?.focus();
    input.current?.setSelectionRange(found.at, found.at);
  };
  const replace = (next: string, range?: TimeRange | null) => {
    setText(next);
    search(next, range);
  };
  const choose = (insert: string) => {
    if (!typed) return replace(insert);
    const done = complete(text, caret, typed, insert);
    edit(done.text, done.caret);
    if (typed.kind === 'value') combobox.closeDropdown();
    // The caret can move only after the field has the new text.
    setTimeout(() => input.current?.setSelectionRange(done.caret, done.caret));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    search(text);
  };
  return (
    <search className={classes.search}>
      <form onSubmit={submit}>
        {/* What is kept while it is closed measures the page whenever that is drawn. */}
        <Combobox store={combobox} onOptionSubmit={choose} shadow="md" keepMounted={false}>
          <Combobox.Target withExpandedAttribute>
            <TextInput
              ref={input}
              id={FILTER_ID}
              role="combobox"
              aria-label={t.filterEvents}
              placeholder={t.filterExample}
              spellCheck={false}
              autoComplete="off"
              value={text}
              maxLength={LIMITS.expressionCharsMax}
              error={isRefused}
              aria-describedby={problem ? 'filter-problem' : undefined}
              onChange={({ currentTarget }) =>
                edit(currentTarget.value, currentTarget.selectionStart ?? currentTarget.value.length)
              }
              onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart ?? 0)}
              onClick={() => combobox.openDropdown()}
              onBlur={() => combobox.closeDropdown()}
              leftSection={<IconSearch size={16} aria-hidden />}
            />
          </Combobox.Target>
          <Combobox.Dropdown hidden={options.length + examples.length === 0}>
            <Combobox.Options aria-label={t.suggestions} className={classes.options}>
              {options.map(optionOf)}
              {examples.length > 0 && (
                <Combobox.Group label={t.examples}>
                  {examples.map(([insert, note]) => optionOf({ insert, label: insert, note: t[note] }))}
                </Combobox.Group>
              )}
            </Combobox.Options>
          </Combobox.Dropdown>
        </Combobox>
        <VisuallyHidden>
          <button type="submit" tabIndex={-1}>
            {t.search}
          </button>
        </VisuallyHidden>
      </form>
      {problem && <ProblemText id="filter-problem" text={text} problem={problem} />}
      <FilterHints text={problem ? text : value} onSearch={replace} />
    </search>
  );
}

const optionOf = ({ insert, label, note }: Suggestion) => (
  <Combobox.Option key={insert} value={insert}>
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <Text span size="sm" truncate>
        {label}
      </Text>
      <Text span size="xs" c="dimmed" className={classes.note}>
        {note}
      </Text>
    </Group>
  </Combobox.Option>
);
