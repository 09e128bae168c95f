import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Answer } from './answer';

interface Document {
  readonly paths: Record<string, { get: { responses: Record<string, ResponseObject> } }>;
  readonly components: { responses: Record<string, ResponseObject> };
}
interface ResponseObject {
  readonly $ref?: string;
  readonly headers?: Record<string, unknown>;
  readonly content?: { readonly 'application/json'?: { schema: object } };
}

/** A service that can return its OpenAPI document. */
interface Described {
  fetch(path: string): Promise<Answer>;
}
const documents = new WeakMap<Described, Promise<Checker>>();
/** By the text of their document: services of one configuration share what took a second to compile. */
const checkers = new Map<string, Checker>();

/** Fails unless the OpenAPI document of the service describes this answer: status, headers and body. */
export async function checkAgainstDocument(
  world: Described,
  path: string,
  method: string,
  answer: Answer,
): Promise<void> {
  let checker = documents.get(world);
  if (!checker) {
    checker = world.fetch('/swagger').then(({ text, body }) => checkerOf(text, body));
    documents.set(world, checker);
  }
  (await checker).check(path.split('?')[0] ?? path, method, answer);
}

function checkerOf(text: string, document: Document): Checker {
  const checker = checkers.get(text) ?? new Checker(document);
  checkers.set(text, checker);
  return checker;
}

class Checker {
  /** `test/contract/openapi.test.ts` validates the document itself, which takes longer than a suite's checks of answers. */
  readonly #ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, validateSchema: false }));
  readonly #compiled = new Map<object, ValidateFunction>();

  constructor(private readonly document: Document) {
    this.#ajv.addSchema(document, 'document');
  }

  check(path: string, method: string, answer: Answer): void {
    const route = this.#routeOf(path);
    if (!route) return;
    const response = this.#resolve(this.document.paths[route]?.get.responses[answer.status]);
    if (!response) throw new Error(`${method} ${path}: status ${answer.status} is not in the document`);
    for (const name of Object.keys(response.headers ?? {})) {
      if (name === 'RateLimit' || name === 'RateLimit-Policy') continue; // agents and operators have no rate-limit window
      if (name === 'Link') continue; // absent if the filter is long
      if (!answer.headers.has(name)) throw new Error(`${path}: ${answer.status} without header ${name}`);
    }
    const schema = response.content?.['application/json']?.schema;
    const isJson = answer.headers.get('Content-Type')?.startsWith('application/json');
    if (method === 'HEAD' || !schema || (!isJson && Object.keys(response.content ?? {}).length > 1)) return;
    const validate = this.#validator(schema);
    if (!validate(answer.body)) {
      throw new Error(
        `${path}: body differs from the document: ${this.#ajv.errorsText(validate.errors)}\n${answer.text}`,
      );
    }
  }

  #routeOf(path: string): string | undefined {
    const routes = Object.keys(this.document.paths);
    return routes.includes(path)
      ? path
      : routes.find((route) => new RegExp(`^${route.replace(/\{\w+\}/g, '[^/]+')}$`).test(path));
  }

  #resolve(response: ResponseObject | undefined): ResponseObject | undefined {
    const name = response?.$ref?.split('/').at(-1);
    return name ? this.document.components.responses[name] : response;
  }

  #validator(schema: object): ValidateFunction {
    let validate = this.#compiled.get(schema);
    if (!validate) {
      const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
      validate = this.#ajv.compile(JSON.parse(text));
      this.#compiled.set(schema, validate);
    }
    return validate;
  }
}
