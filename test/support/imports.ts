import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

export const ROOT = path.resolve(__dirname, '../..');
const SOURCE = /\.(?:tsx?|[cm]js)$/;
const NOT_OURS = /^src\/generated\/|\/(?:fixtures|node_modules)\//;

/** @returns the path of a source file without its extension, as imports name it */
export const withoutEnd = (file: string): string => file.replace(/\.(?:tsx?|[cm]?js)$/, '');

/** A source file: its path below the repository, with `/`, and its text. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

export interface Import {
  readonly file: string;
  /** A package or `node:` module as written; for a file, its path below the repository without extension. */
  readonly target: string;
  readonly isFile: boolean;
}

/** The files below a folder whose names match, without generated ones, fixtures and packages. */
export const filesOf = (folder: string, name: RegExp): string[] =>
  readdirSync(path.join(ROOT, folder), { recursive: true })
    .map((each) => path.posix.join(folder, String(each).replaceAll(path.sep, '/')))
    .filter((file) => name.test(file) && !NOT_OURS.test(file));

/** The sources below the folders, without generated ones, fixtures and packages. */
export const sourcesOf = (...folders: string[]): Source[] =>
  folders
    .flatMap((folder) => filesOf(folder, SOURCE))
    .map((file) => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8') }));

/** Everything that a file imports, re-exports, requires or imports dynamically, types included. */
export function importsOf({ file, text }: Source): Import[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => {
    const isFile = fileName.startsWith('.');
    const target = isFile ? withoutEnd(path.posix.join(path.posix.dirname(file), fileName)) : fileName;
    return { file, target, isFile };
  });
}

/** Circular imports among the sources, types included: one for each group, as `a -> b -> a`. */
export function circlesOf(sources: readonly Source[]): string[] {
  const known = new Set(sources.map(({ file }) => withoutEnd(file)));
  const next = new Map(
    sources.map((source) => [
      withoutEnd(source.file),
      importsOf(source).flatMap(({ target }) => (known.has(target) ? [target] : [])),
    ]),
  );
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    const at = path.indexOf(name);
    if (at >= 0) circles.push([...path.slice(at), name].join(' -> '));
    if (at >= 0 || done.has(name)) return;
    done.add(name);
    for (const target of next.get(name) ?? []) visit(target, [...path, name]);
  };
  for (const name of known) visit(name, []);
  return circles;
}

/** The text without its comments; line numbers stay the same. */
export function withoutComments(text: string): string {
  const blank = (comment: string) => comment.replace(/[^\n]/g, ' ');
  return text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, blank);
}
