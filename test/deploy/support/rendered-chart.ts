import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { ROOT } from '../../support/imports';
import type { Manifest } from './kubernetes-schemas';

const CHART = path.join(ROOT, 'deploy/helm');
const read = (name: string) => readFileSync(path.join(CHART, name), 'utf8');

/**
 * Renders the chart without helm: as much of its language as the templates of the chart use. The suite of the chart
 * compares it with helm.
 */
export function renderedChart(values: object, release = 'live'): Manifest[] {
  const files = readdirSync(path.join(CHART, 'templates'));
  const chart = parse(read('Chart.yaml')) as Readonly<Record<string, string>>;
  const root = {
    Values: mergedValues(parse(read('values.yaml')), values),
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: release, Namespace: 'audit', Service: 'Helm' },
    Files: { Get: read, Glob: globbed },
  };
  const templates = new Templates();
  for (const name of files.filter((file) => file.endsWith('.tpl')))
    templates.render(read(`templates/${name}`), root);
  return files
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => parseAllDocuments(templates.render(read(`templates/${name}`), root)))
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** The given values over those of the chart: maps are merged, everything else takes the place of what was there. */
export function mergedValues(own: unknown, given: unknown): unknown {
  if (!isMap(own) || !isMap(given)) return given === undefined ? own : given;
  const names = [...new Set([...Object.keys(own), ...Object.keys(given)])];
  return Object.fromEntries(names.map((name) => [name, mergedValues(own[name], given[name])]));
}

/** The files of a pattern whose last part alone has a star. */
function globbed(pattern: string): Readonly<Record<string, string>> {
  const folder = path.dirname(pattern);
  const ending = path.extname(pattern);
  const names = readdirSync(path.join(CHART, folder)).filter((name) => name.endsWith(ending));
  return Object.fromEntries(names.map((name) => [`${folder}/${name}`, read(`${folder}/${name}`)]));
}

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly code: string }
  | Block;
interface Block {
  readonly kind: 'block';
  readonly code: string;
  readonly body: Node[];
  readonly otherwise: Node[];
}

/** The text and the actions of a template. Dashes at the ends of an action take the white space beside it away. */
function nodesOf(template: string): Node[] {
  const root: Node[] = [];
  const open: { readonly block: Block; list: Node[] }[] = [];
  const put = (node: Node) => (open.at(-1)?.list ?? root).push(node);
  let rest = template;
  for (;;) {
    const [whole, before = '', left, code = '', right, after = ''] =
      /^(.*?)\{\{(-?)\s*(\/\*.*?\*\/|.*?)\s*(-?)\}\}(.*)$/s.exec(rest) ?? [];
    if (whole === undefined) break;
    put({ kind: 'text', text: left === '-' ? before.trimEnd() : before });
    rest = right === '-' ? after.trimStart() : after;
    if (/^(if|with|range|define)\b/.test(code)) {
      const block: Block = { kind: 'block', code, body: [], otherwise: [] };
      put(block);
      open.push({ block, list: block.body });
    } else if (code === 'else') {
      const top = open.at(-1);
      if (top) top.list = top.block.otherwise;
    } else if (code === 'end') open.pop();
    else if (!code.startsWith('/*')) put({ kind: 'action', code });
  }
  put({ kind: 'text', text: rest });
  return root;
}

interface Scope {
  readonly dot: unknown;
  readonly root: unknown;
  readonly variables: Map<string, unknown>;
}
type Value = unknown;

const isTrue = (value: Value): boolean => {
  if (Array.isArray(value)) return value.length > 0;
  return isMap(value) ? Object.keys(value).length > 0 : Boolean(value);
};
const text = (value: Value): string => (value === null || value === undefined ? '' : String(value));
const yaml = (value: Value): string => stringify(value, { lineWidth: 0 }).trimEnd();

const FUNCTIONS: Readonly<Record<string, (...of: Value[]) => Value>> = {
  quote: (value) => JSON.stringify(text(value)),
  default: (other, value) => (isTrue(value) ? value : other),
  printf: (form, ...of) => text(form).replaceAll(/%[sv]/g, () => text(of.shift())),
  trunc: (n, value) => text(value).slice(0, Number(n)),
  trimSuffix: (end, value) =>
    text(value).endsWith(text(end)) ? text(value).slice(0, -text(end).length) : value,
  contains: (part, value) => text(value).includes(text(part)),
  replace: (from, to, value) => text(value).replaceAll(text(from), text(to)),
  nindent: (n, value) => `\n${text(value).replaceAll(/^/gm, ' '.repeat(Number(n)))}`,
  toYaml: yaml,
  toJson: (value) => JSON.stringify(value),
  sha256sum: (value) => createHash('sha256').update(text(value)).digest('hex'),
  list: (...of) => of,
  lookup: () => ({}),
  and: (...of) => of.find((value) => !isTrue(value)) ?? of.at(-1),
  not: (value) => !isTrue(value),
  gt: (a, b) => Number(a) > Number(b),
  int: (value) => Math.trunc(Number(value) || 0),
  add: (...of) => of.reduce<number>((sum, n) => sum + Number(n), 0),
  div: (a, b) => Math.floor(Number(a) / Number(b)),
  base: (value) => path.basename(text(value)),
  fail: (message) => {
    throw new Error(text(message));
  },
};

class Templates {
  readonly #defined = new Map<string, readonly Node[]>();

  render(template: string, root: unknown): string {
    return this.#run(nodesOf(template), { dot: root, root, variables: new Map() });
  }

  #run(nodes: readonly Node[], scope: Scope): string {
    return nodes.map((node) => this.#one(node, scope)).join('');
  }

  #one(node: Node, scope: Scope): string {
    if (node.kind === 'text') return node.text;
    if (node.kind === 'action') return this.#action(node.code, scope);
    const { code, body, otherwise } = node;
    const [, kind, given = ''] = /^(\w+)\s+(.*)$/s.exec(code) ?? [];
    if (kind === 'define') {
      this.#defined.set(JSON.parse(given), body);
      return '';
    }
    const [, names, expression = given] = /^(\$\w+(?:,\s*\$\w+)?)\s*:=\s*(.*)$/s.exec(given) ?? [];
    const value = this.#value(expression, scope);
    if (!isTrue(value)) return this.#run(otherwise, scope);
    if (kind === 'if') return this.#run(body, scope);
    const within = (dot: unknown, variables: readonly (readonly [string, unknown])[] = []) =>
      this.#run(body, { ...scope, dot, variables: new Map([...scope.variables, ...variables]) });
    if (kind === 'with') return within(value);
    const [key = '$', item = '$'] = names?.split(/,\s*/) ?? [];
    const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value as object).sort();
    return entries
      .map(([name, one]) =>
        within(
          one,
          [[key, name] as const, [item, one] as const].filter(([of]) => of !== '$'),
        ),
      )
      .join('');
  }

  #action(code: string, scope: Scope): string {
    const [, name, expression] = /^(\$\w+)\s*:=\s*(.*)$/s.exec(code) ?? [];
    if (name === undefined) return text(this.#value(code, scope));
    scope.variables.set(name, this.#value(expression ?? '', scope));
    return '';
  }

  #value(expression: string, scope: Scope): Value {
    const tokens = expression.match(/"(?:[^"\\]|\\.)*"|\)\.[\w.]+|[()|]|[^\s()|]+/g) ?? [];
    return this.#pipeline(tokens, scope);
  }

  /** Takes the tokens of a pipeline, up to the parenthesis that ends it. */
  #pipeline(tokens: string[], scope: Scope): Value {
    let value: Value;
    for (let isFirst = true; ; isFirst = false) {
      const [name = '', ...given] = this.#command(tokens, scope);
      const all = isFirst ? given : [...given, value];
      value = typeof name === 'function' ? (name as (...of: Value[]) => Value)(...all) : name;
      if (tokens[0] !== '|') return value;
      tokens.shift();
    }
  }

  #command(tokens: string[], scope: Scope): Value[] {
    const values: Value[] = [];
    while (tokens.length > 0 && tokens[0] !== '|' && !tokens[0]?.startsWith(')'))
      values.push(this.#operand(tokens.shift() ?? '', tokens, scope));
    return values;
  }

  #operand(token: string, tokens: string[], scope: Scope): Value {
    if (token === '(') {
      const value = this.#pipeline(tokens, scope);
      return at(value, (tokens.shift() ?? '').slice(2));
    }
    if (token.startsWith('"')) return JSON.parse(token);
    if (/^\d+$/.test(token)) return Number(token);
    if (token === '.') return scope.dot;
    if (token.startsWith('.')) return at(scope.dot, token.slice(1));
    if (token === '$' || token.startsWith('$.')) return at(scope.root, token.slice(2));
    if (token.startsWith('$')) return scope.variables.get(token);
    if (token === 'include') return (name: Value, dot: Value) => this.#include(text(name), dot);
    const known = FUNCTIONS[token];
    if (!known) throw new Error(`the chart uses ${token}, which is not known here`);
    return known;
  }

  #include(name: string, dot: Value): string {
    const nodes = this.#defined.get(name);
    if (!nodes) throw new Error(`the chart includes ${name}, which it does not define`);
    return this.#run(nodes, { dot, root: dot, variables: new Map() });
  }
}

function at(value: Value, names: string): Value {
  return names
    .split('.')
    .reduce((of, name) => (name === '' ? of : (of as Record<string, Value> | undefined)?.[name]), value);
}
