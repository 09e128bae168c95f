import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Scalar as ScalarNode,
  type YAMLMap,
} from 'yaml';
import { Problems, RuleRefused, short } from './problem';
import { scanYaml } from './scan-yaml';

export type Scalar = string | number | boolean | null;

/** A value of a rule file and the line it stands on. */
export type Node =
  | {
      readonly kind: 'scalar';
      readonly line: number;
      readonly value: Scalar;
      /** The number as the file writes it. */
      readonly written?: string;
    }
  | { readonly kind: 'list'; readonly line: number; readonly items: readonly Node[] }
  | { readonly kind: 'map'; readonly line: number; readonly entries: readonly Entry[] };
export interface Entry {
  readonly key: string;
  readonly line: number;
  readonly value: Node;
}
export type MapNode = Extract<Node, { kind: 'map' }>;

const RULE_FILE_CHARS_MAX = 262_144;
const DOCUMENTS_MAX = 100;
const NODES_MAX = 20_000;
/** Limit of the tokens in the text, before it is parsed: brackets, quotes, indents, line breaks and values. */
const TOKENS_MAX = 6 * NODES_MAX;
const DEPTH_MAX = 30;

/** A document of a rule file, and its part of the file's text. */
interface DocumentNode {
  readonly root: MapNode;
  readonly text: string;
}

/** The documents of a rule file. @throws RuleRefused */
export function parseNodes(text: string): readonly DocumentNode[] {
  const problems = new Problems();
  if (text.length > RULE_FILE_CHARS_MAX)
    throw new RuleRefused([{ line: 1, reason: `the file has more than ${RULE_FILE_CHARS_MAX} characters` }]);
  scanYaml(text, { documents: DOCUMENTS_MAX, tokens: TOKENS_MAX, depth: DEPTH_MAX });
  const lines = new LineCounter();
  // The parser's check for unique keys and its pretty messages take quadratic time. Keys are compared below instead.
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    schema: 'core',
    uniqueKeys: false,
    prettyErrors: false,
  });
  if (!Array.isArray(documents) || documents.length === 0)
    throw new RuleRefused([{ line: 1, reason: 'the file has no document' }]);
  if (documents.length > DOCUMENTS_MAX)
    throw new RuleRefused([{ line: 1, reason: `the file has more than ${DOCUMENTS_MAX} documents` }]);
  const lineAt = (offset: number | undefined) => Math.max(1, lines.linePos(offset ?? 0).line);
  let count = 0;
  const convert = (node: unknown, depth: number, lineOfParent: number): Node | null => {
    const at = (node as { range?: readonly number[] | null } | null)?.range?.[0];
    const line = at === undefined ? lineOfParent : lineAt(at);
    count += 1;
    if (count > NODES_MAX || depth > DEPTH_MAX)
      return problems.add(line, 'the file is too large or too deep');
    if (node === null || node === undefined) return { kind: 'scalar', line, value: null };
    if (isScalar(node)) return scalar(node, line, problems);
    if (isSeq(node)) {
      const items = node.items.map((item) => convert(item, depth + 1, line));
      return { kind: 'list', line, items: items.filter((item) => item !== null) };
    }
    if (isMap(node)) return { kind: 'map', line, entries: entriesOf(node, depth, line) };
    return problems.add(line, 'aliases (*name) of YAML are not supported');
  };
  const entriesOf = (map: YAMLMap, depth: number, line: number): Entry[] => {
    const keys = new Set<string>();
    return map.items.flatMap(({ key, value }) => {
      const from = (key as { range?: readonly number[] } | null)?.range?.[0];
      const keyLine = from === undefined ? line : lineAt(from);
      if (!isScalar(key)) return problems.add(keyLine, 'a key must be a text') ?? [];
      const name = String(key.value);
      if (keys.has(name))
        return problems.add(keyLine, `the key ${short(name)} stands twice in one map`) ?? [];
      keys.add(name);
      const converted = convert(value, depth + 1, keyLine);
      return converted ? [{ key: name, line: keyLine, value: converted }] : [];
    });
  };
  const roots: DocumentNode[] = [];
  let end = 0;
  for (const document of documents) {
    const begin = end;
    end = document.range[2];
    // YAML only warns of unknown tags.
    const wrong = [...document.errors, ...document.warnings];
    for (const { pos, message } of wrong)
      problems.add(lineAt(pos[0]), `no YAML: ${short(message.split('\n')[0] ?? '')}`);
    if (wrong.length > 0 || isNothing(document.contents)) continue;
    const root = convert(document.contents, 0, 1);
    if (root?.kind === 'map') roots.push({ root, text: text.slice(begin, end) });
    else if (root) problems.add(root.line, 'a document must be a map');
  }
  if (problems.found.length === 0 && roots.length === 0) problems.add(1, 'the file has no document');
  if (problems.found.length > 0) throw new RuleRefused(problems.found);
  return roots;
}

/** The empty document after a `---` at the end of a file. */
const isNothing = (contents: unknown): boolean =>
  contents === null || (isScalar(contents) && contents.value === null);

function scalar({ value, source }: ScalarNode, line: number, problems: Problems): Node | null {
  if (typeof value === 'number' && source !== undefined)
    return { kind: 'scalar', line, value, written: source };
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value))
    return { kind: 'scalar', line, value: value as Scalar };
  return problems.add(line, 'a value must be a text, a number, true, false or null');
}

/** The entry of a map. */
export const entryOf = (map: MapNode, key: string): Entry | undefined =>
  map.entries.find((entry) => entry.key === key);

/** The text of an entry; null: the entry is absent, or not a text. */
export function textAt(map: MapNode, key: string): string | null {
  const value = entryOf(map, key)?.value;
  return value?.kind === 'scalar' && value.value !== null ? String(value.value) : null;
}

/** The texts of an entry that is a list of texts or one text. */
export function textsAt(map: MapNode, key: string): readonly string[] {
  const value = entryOf(map, key)?.value;
  const nodes = value?.kind === 'list' ? value.items : value ? [value] : [];
  return nodes.flatMap((node) => (node.kind === 'scalar' && node.value !== null ? [String(node.value)] : []));
}

/** The plain value of a node that is not a condition, such as a test event. */
export function plain(node: Node): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(plain);
    case 'map':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
  }
}
