import { bodyOf, PAGE_HEADER, packagePath } from '../api/session';
import type { ExploreFilter } from '../explore/explore-filter';

export interface PackageQuestion extends ExploreFilter {
  readonly tenantId: string;
  /** What the package is for. */
  readonly reason: string;
}

/**
 * An evidence package of the events that the filter matches. A cut stream is an error.
 * @param onBytes called with the bytes that came so far
 */
export async function fetchPackage(
  question: PackageQuestion,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<{ readonly name: string; readonly content: Blob }> {
  const given = Object.entries(question).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
  const response = await fetch(packagePath(new URLSearchParams(given)), { headers: PAGE_HEADER, signal });
  if (!response.ok || !response.body) await bodyOf(response);
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    bytes += value.length;
    onBytes(bytes);
  }
  const name = /filename="?([^";]+)/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
  return { name: name ?? 'audit-activity-evidence.zip', content: new Blob(chunks) };
}
