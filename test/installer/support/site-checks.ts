import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** @returns the addresses below `/docs` to which the built pages link and where nothing is */
export function deadLinksOf(site: string): string[] {
  const files = readdirSync(site, { recursive: true, encoding: 'utf8' });
  const names = new Set(files);
  const pages = files.filter((name) => name.endsWith('.html') && name !== '404.html');
  const textOf = new Map(pages.map((name) => [name, readFileSync(path.join(site, name), 'utf8')]));
  return pages.flatMap((page) =>
    [...(textOf.get(page) ?? '').matchAll(/(?:href|src)="([^"]+)"/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^(https?|data):/.test(target) && !isThere(page, target))
      .map((target) => `${page}: ${target}`),
  );

  function isThere(page: string, target: string): boolean {
    const [address = '', anchor] = target.split('#');
    const name = address === '' ? page : address.replace(/^\/docs\//, '') || 'index.html';
    const file = names.has(name) ? name : `${name}.html`;
    if (!names.has(file) || (address !== '' && !address.startsWith('/docs/'))) return false;
    return !anchor || (textOf.get(file) ?? '').includes(` id="${decodeURIComponent(anchor)}"`);
  }
}

/** @returns the text of the search index of a built site */
export function searchIndexOf(site: string): string {
  const chunks = path.join(site, 'assets/chunks');
  const name = readdirSync(chunks).find((each) => each.startsWith('@localSearchIndex'));
  if (!name) throw new Error('the site has no search index');
  return readFileSync(path.join(chunks, name), 'utf8');
}
