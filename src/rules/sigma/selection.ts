import { fold } from '../../event/search';
import { ANY, globTest, isSlow, parseGlob, slowText } from '../glob';
import { allOf, anyOf, type Matcher, not } from '../matcher';
import type { Seen } from '../seen';
import type { Entry, MapNode, Node } from './node';
import { fieldIn, type Problems } from './problem';
import { parseModifiers, unknownField, valueTest } from './value-test';

/** The texts of an event in which keywords are searched, joined. */
export type TextsOf = (seen: Seen) => string;

/**
 * Compiles a search identifier: a map whose fields must all hold, a list of maps of which one must hold, or keywords.
 */
export function selectionTest(node: Node, problems: Problems, textsOf: TextsOf): Matcher | null {
  switch (node.kind) {
    case 'map':
      return mapTest(node, problems, textsOf);
    case 'list':
      if (node.items.length === 0)
        return problems.add(node.line, 'a list of selections or keywords is empty');
      return combined(
        node.items.map((item) =>
          item.kind === 'map' ? mapTest(item, problems, textsOf) : keyword(item, problems, textsOf),
        ),
        anyOf,
      );
    case 'scalar':
      return keyword(node, problems, textsOf);
  }
}

function combined(
  parts: readonly (Matcher | null)[],
  combine: (parts: readonly Matcher[]) => Matcher,
): Matcher | null {
  const sound = parts.filter((part) => part !== null);
  return sound.length === parts.length && sound.length > 0 ? combine(sound) : null;
}

function mapTest(map: MapNode, problems: Problems, textsOf: TextsOf): Matcher | null {
  if (map.entries.length === 0) return problems.add(map.line, 'a selection must name a field');
  return combined(
    map.entries.map((entry) => entryTest(entry, problems, textsOf)),
    allOf,
  );
}

function entryTest({ key, line, value }: Entry, problems: Problems, textsOf: TextsOf): Matcher | null {
  const [name = '', ...given] = key.split('|');
  const nodes = value.kind === 'list' ? value.items : [value];
  if (value.kind === 'list' && nodes.length === 0) return problems.add(line, 'a list of values is empty');
  if (name === '') {
    if (given.some((one) => one !== 'all')) return problems.add(line, 'keywords take the modifier all only');
    return combined(
      nodes.map((node) => keyword(node, problems, textsOf)),
      given.includes('all') ? allOf : anyOf,
    );
  }
  const field = fieldIn(name, problems);
  if (!field) return problems.add(line, unknownField(name));
  const modifiers = parseModifiers(given, line, problems);
  if (!modifiers) return null;
  const single = new Set([...modifiers].filter((one) => one !== 'all' && one !== 'neq'));
  const tests = nodes.map((node) => valueTest({ field, modifiers: single }, node, problems));
  const test = combined(tests, modifiers.has('all') ? allOf : anyOf);
  return test && modifiers.has('neq') ? not(test) : test;
}

/** A keyword may occur in any text of the event. */
function keyword(node: Node, problems: Problems, textsOf: TextsOf): Matcher | null {
  if (node.kind !== 'scalar' || node.value === null || node.value === '')
    return problems.add(node.line, 'a keyword must be a text or a number');
  const glob = [ANY, ...parseGlob(fold(String(node.value))), ANY] as const;
  if (isSlow(glob)) return problems.add(node.line, slowText('keyword'));
  problems.cost += 2;
  problems.looksIntoStatements = true;
  const test = globTest(glob);
  return { test: (seen) => test(textsOf(seen)), actions: null };
}
