import type { ConfigProperties } from './merge-config';

/** The input of `configure`: a whole configuration as text or by its file, or some of its properties. */
type ConfigureInput =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'properties'; readonly properties: ConfigProperties }
  /** No input: nothing changes. */
  | { readonly kind: 'none' };

type ParsedInput = ConfigureInput | { readonly kind: 'invalid'; readonly problems: readonly string[] };

const PROPERTIES = {
  APIURL: 'apiUrl',
  APIKEY: 'apiKey',
  ENROLLTOKEN: 'enrollToken',
  AUDITPATH: 'auditPath',
  DBNAME: 'dbName',
  TENANTID: 'tenantId',
} as const satisfies Record<string, keyof ConfigProperties>;
const CONFIG_FILE = 'CONFIGFILE';
const isProperty = (name: string): name is keyof typeof PROPERTIES => Object.hasOwn(PROPERTIES, name);

/**
 * Parses the standard input of `configure`: a configuration as JSON, or lines `NAME=value` with the names of the
 * installer's properties. Empty values count as absent. No problem repeats a value.
 */
export function parseConfigureInput(text: string): ParsedInput {
  const input = text.replace(/^\uFEFF/, '');
  if (/^\s*[{[]/.test(input)) return { kind: 'text', text: input };
  const given = new Map<string, string>();
  const problems: string[] = [];
  for (const [index, line] of input.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(line) ?? [];
    if (name === '') problems.push(`line ${index + 1} of the input is not NAME=value`);
    else if (name !== CONFIG_FILE && !isProperty(name)) problems.push(`there is no property ${name}`);
    else if (given.has(name)) problems.push(`${name} is given twice`);
    else if (value.trim() !== '') given.set(name, value.trim());
  }
  if (given.has(CONFIG_FILE) && given.size > 1) {
    const others = [...given.keys()].filter((name) => name !== CONFIG_FILE);
    problems.push(
      `${CONFIG_FILE} is the whole configuration and cannot go together with ${others.join(', ')}`,
    );
  }
  return problems.length > 0 ? { kind: 'invalid', problems } : inputOf(given);
}

/** Names of the properties that a new configuration needs in addition to these. */
export const missingFrom = (properties: ConfigProperties): readonly string[] =>
  Object.keys(PROPERTIES)
    .filter(isProperty)
    .filter((name) => name !== 'TENANTID' && name !== 'ENROLLTOKEN')
    .filter((name) => name !== 'APIKEY' || properties.enrollToken === undefined)
    .filter((name) => properties[PROPERTIES[name]] === undefined);

function inputOf(given: ReadonlyMap<string, string>): ConfigureInput {
  if (given.size === 0) return { kind: 'none' };
  const path = given.get(CONFIG_FILE);
  if (path !== undefined) return { kind: 'file', path };
  const names = Object.keys(PROPERTIES).filter(isProperty);
  const entries = names.filter((name) => given.has(name)).map((name) => [PROPERTIES[name], given.get(name)]);
  return { kind: 'properties', properties: Object.fromEntries(entries) };
}
