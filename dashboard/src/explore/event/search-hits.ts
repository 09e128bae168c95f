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
      return term.how !== 'present' && term.field !== 'recordId' && term.field !== 'succeeded'
        ? [escaped(term.text)]
        : [];
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

/** Marks the matches within the texts of an element. */
export function markHits(element: HTMLElement, hits: RegExp): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) markIn(text, hits);
}

function markIn(node: Text, hits: RegExp): void {
  const text = node.data;
  const pieces: Node[] = [];
  let end = 0;
  for (const found of text.matchAll(hits)) {
    if (found[0] === '') continue;
    const mark = document.createElement('mark');
    mark.textContent = found[0];
    pieces.push(document.createTextNode(text.slice(end, found.index)), mark);
    end = found.index + found[0].length;
  }
  if (pieces.length > 0) node.replaceWith(...pieces, document.createTextNode(text.slice(end)));
}
