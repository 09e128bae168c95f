import type { Received, Reply } from './receiver';

/**
 * Plays `_bulk` of Elasticsearch and OpenSearch as their documentation describes it: NDJSON that ends in a new line, an
 * action before each document, an answer for each in their order, 409 for an id that exists.
 */
export class StrictBulk {
  readonly documents = new Map<string, { readonly position: string; readonly statement: string }>();
  /** Decides whether a document is refused: the error, or null. */
  refuses: (document: { readonly statement: string }) => { status: number; type: string } | null = () => null;

  constructor(
    private readonly index: string,
    private readonly authorization: string,
  ) {}

  answer({ method, path, headers, body }: Received): Reply {
    const url = new URL(path, 'http://elastic');
    if (headers.authorization !== this.authorization)
      return { status: 401, body: '{"error":{"type":"security_exception"}}' };
    if (method !== 'POST' || url.pathname !== `/${this.index}/_bulk`) return { status: 405 };
    const text = body.toString('utf8');
    if (headers['content-type'] !== 'application/x-ndjson') return { status: 406 };
    if (!text.endsWith('\n')) return { status: 400, body: '{"error":"must be terminated by a newline"}' };
    const lines = text.slice(0, -1).split('\n');
    const items = [];
    for (let i = 0; i < lines.length; i += 2) {
      const { create } = JSON.parse(lines[i] ?? '') as { create: { _id: string } };
      const document = JSON.parse(lines[i + 1] ?? '');
      items.push({ create: this.#store(create._id, document) });
    }
    const errors = items.some(({ create }) => create.status > 299);
    return { body: JSON.stringify({ errors, items }) };
  }

  #store(id: string, document: { position: string; statement: string }): { status: number; error?: object } {
    if (this.documents.has(id))
      return {
        status: 409,
        error: { type: 'version_conflict_engine_exception', reason: 'document already exists' },
      };
    const refusal = this.refuses(document);
    if (refusal) return { status: refusal.status, error: { type: refusal.type, reason: 'refused' } };
    this.documents.set(id, document);
    return { status: 201 };
  }
}
