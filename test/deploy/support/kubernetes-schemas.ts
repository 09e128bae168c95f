import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';

interface Json {
  [key: string]: unknown;
}

export interface Manifest extends Json {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}

/** The published schemas of Kubernetes objects. A property that a schema does not name is a problem. */
export class KubernetesSchemas {
  readonly #ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  readonly #ids = new Set<string>();

  /** @param folders of unpacked packages, whose modules hold one schema each */
  constructor(folders: readonly string[]) {
    for (const folder of folders) {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      for (const file of files.filter((name) => name.endsWith('.js')))
        this.#add(readFileSync(path.join(folder, file), 'utf8'));
    }
  }

  #add(text: string): void {
    const [, schema] = /^const schema = (\{[\s\S]*?^\});/m.exec(text) ?? [];
    const [, id] = /(?:register\)\(|schemaId = )"([\w.-]+)"/.exec(text) ?? [];
    if (schema === undefined || id === undefined || this.#ids.has(id)) return;
    this.#ids.add(id);
    this.#ajv.addSchema(closed(JSON.parse(schema)), `${id}#`);
  }

  /** @returns the problems of a manifest, each with its place; empty if there are none */
  problemsOf(manifest: Manifest): string[] {
    const validate = this.#validatorOf(manifest);
    if (validate === undefined) return [`no schema of ${manifest.apiVersion} ${manifest.kind}`];
    if (validate(manifest)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  #validatorOf({ apiVersion, kind }: Manifest): ValidateFunction | undefined {
    const [group = '', version = ''] = apiVersion.includes('/')
      ? apiVersion.split('/')
      : ['core', apiVersion];
    const own = `io.k8s.api.${group.replace('.k8s.io', '')}.${version}.${kind}`;
    const id = [own, `${group}.${version}.${kind}`].find((each) => this.#ids.has(each));
    return id === undefined ? undefined : this.#ajv.getSchema(`${id}#`);
  }
}

/** @returns the schema, with every object closed against properties that it does not name */
function closed(schema: unknown): Json {
  if (Array.isArray(schema)) return schema.map(closed) as unknown as Json;
  if (typeof schema !== 'object' || schema === null) return schema as unknown as Json;
  const own = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isOpen =
    'properties' in own &&
    !('additionalProperties' in own) &&
    !('x-kubernetes-preserve-unknown-fields' in own);
  return isOpen ? { ...own, additionalProperties: false } : own;
}
