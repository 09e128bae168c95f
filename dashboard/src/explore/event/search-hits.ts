import { termsOf } from '../../../../src/event/expression/expression';
import { parseFilter } from '../../../../src/event/expression/parse-filter';
import { parseSearch, WORD_CLASS } from '../../../../src/event/search';

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/**
 * Matches the words, prefixes and phrases of the filter and of the search in a statement, with the flag g. Null: there
 * are none.
 */
export function hitsOf(filter: string, search: string): RegExp | null {
  const parsed = filter ? parseFilter(filter) : null;
  const terms = parsed && 'expression' in parsed ? termsOf(parsed.expression) : [];
  const words = search ? parseSearch(search) : { terms: [] };
  const patterns = [
    ...terms.flatMap((term) => {
      if (term.kind === 'words') return [patternOf(term.term)];
      const hasText = term.how === 'equals' || term.how === 'begins' || term.how === 'holds';
      return hasText && term.field !== 'recordId' && term.field !== 'succeeded' ? [escaped(term.text)] : [];
    }),
    ...('terms' in words ? words.terms.map(patternOf) : []),
  ];
  return patterns.length === 0 ? null : new RegExp(patterns.join('|'), 'giu');
}

function patternOf({
  kind,
  text,
}: {
  readonly kind: 'word' | 'prefix' | 'phrase';
  readonly text: string;
}): string {
  if (kind === 'phrase') return escaped(text);
  return `(?<![${WORD_CLASS}])${escaped(text)}${kind === 'word' ? `(?![${WORD_CLASS}])` : `[${WORD_CLASS}]*`}`;
}
