import { isMap, isScalar, isSeq, LineCounter, parseAllDocuments, type YAMLMap } from 'yaml';
import { Problems, RuleRefused } from './problem';

export type Scalar = string | number | boolean | null;

/** A value of a rule file and the line it stands on. */
export type Node =
  | { readonly kind: 'scalar'; readonly line: number; readonly value: Scalar }
  | { readonly kind: 'list'; readonly line: number; readonly items: readonly Node[] }
  | { readonly kind: 'map'; readonly line: number; readonly entries: readonly Entry[] };
export interface Entry {
  readonly key: string;
  readonly line: number;
  readonly value: Node;
}
export type MapNode = Extract<Node, { kind: 'map' }>;

export const RULE_FILE_CHARS_MAX = 262_144;
const DOCUMENTS_MAX = 100;
const NODES_MAX = 20_000;
const DEPTH_MAX = 30;

/** A document of a rule file, and the part of the file's text that it is. */
export interface DocumentNode {
  readonly root: MapNode;
  readonly text: string;
}

/** The documents of a rule file. @throws RuleRefused */
export function parseNodes(text: string): readonly DocumentNode[] {
  const problems = new Problems();
  if (text.length > RULE_FILE_CHARS_MAX)
    throw new RuleRefused([{ line: 1, reason: `the file has more than ${RULE_FILE_CHARS_MAX} characters` }]);
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, schema: 'core', uniqueKeys: true });
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
    if (isScalar(node)) return scalar(node.value, line, problems);
    if (isSeq(node)) {
      const items = node.items.map((item) => convert(item, depth + 1, line));
      return { kind: 'list', line, items: items.filter((item) => item !== null) };
    }
    if (isMap(node)) return { kind: 'map', line, entries: entriesOf(node, depth, line) };
    return problems.add(line, 'aliases (*name) of YAML are not supported');
  };
  const entriesOf = (map: YAMLMap, depth: number, line: number): Entry[] =>
    map.items.flatMap(({ key, value }) => {
      const from = (key as { range?: readonly number[] } | null)?.range?.[0];
      const keyLine = from === undefined ? line : lineAt(from);
      const converted = convert(value, depth + 1, keyLine);
      return converted
        ? [{ key: String(isScalar(key) ? key.value : key), line: keyLine, value: converted }]
        : [];
    });
  const roots: DocumentNode[] = [];
  let end = 0;
  for (const document of documents) {
    const begin = end;
    end = document.range[2];
    for (const error of document.errors)
      problems.add(lineAt(error.pos[0]), `no YAML: ${error.message.split('\n')[0]}`);
    if (document.errors.length > 0 || document.contents === null) continue;
    const root = convert(document.contents, 0, 1);
    if (root?.kind === 'map') roots.push({ root, text: text.slice(begin, end) });
    else if (root) problems.add(root.line, 'a document must be a map');
  }
  if (problems.found.length === 0 && roots.length === 0) problems.add(1, 'the file has no document');
  if (problems.found.length > 0) throw new RuleRefused(problems.found);
  return roots;
}

function scalar(value: unknown, line: number, problems: Problems): Node | null {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value))
    return { kind: 'scalar', line, value: value as Scalar };
  return problems.add(line, 'a value must be a text, a number, true, false or null');
}

/** The entry of a map. */
export const entryOf = (map: MapNode, key: string): Entry | undefined =>
  map.entries.find((entry) => entry.key === key);

/** The text of an entry; null: it is absent, or no text. */
export function textAt(map: MapNode, key: string): string | null {
  const value = entryOf(map, key)?.value;
  return value?.kind === 'scalar' && value.value !== null ? String(value.value) : null;
}

/** The texts of an entry that is a list, or one text. */
export function textsAt(map: MapNode, key: string): readonly string[] {
  const value = entryOf(map, key)?.value;
  const nodes = value?.kind === 'list' ? value.items : value ? [value] : [];
  return nodes.flatMap((node) => (node.kind === 'scalar' && node.value !== null ? [String(node.value)] : []));
}

/** Plain values, for what is no condition: test events and the like. */
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
