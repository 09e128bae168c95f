import { type ComponentType, lazy } from 'react';
import { fetchFile, PartFiles, PartMissing, partsIn } from './part-files';

/** The build names them in the page (`dashboard/vite.config.mjs`). */
const named = document.querySelector<HTMLMetaElement>('meta[name="parts"]')?.content ?? '';
const files = new PartFiles(
  partsIn(named),
  fetchFile,
  (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
);

const loads: (() => Promise<unknown>)[] = [];

/**
 * Loads all parts, so that a page that stays open across an upgrade has them. Where that fails, a part that is opened
 * tries again.
 */
export async function loadPartsAhead(): Promise<void> {
  try {
    await files.fetchAll();
    for (const load of loads) await load();
  } catch {
    // Whoever opens the part is told.
  }
}

/** Loads something together with all parts. */
export function ahead<T>(load: () => Promise<T>): () => Promise<T> {
  loads.push(load);
  return load;
}

/**
 * A component that is loaded when it is first drawn. If that fails, it throws `PartMissing`.
 * @param name of the file that `load` imports, without its folder
 */
export function part<P extends object>(
  name: string,
  load: () => Promise<{ default: ComponentType<P> }>,
): ComponentType<P> {
  const ask = async () => {
    try {
      await files.fetch(name);
      return await load();
    } catch (cause) {
      throw new PartMissing(
        () => {
          current = lazy(ask);
        },
        { cause },
      );
    }
  };
  loads.push(load);
  let current = lazy(ask);
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each part, when a module is loaded
  return function Part(props: P) {
    const Loaded = current as ComponentType<P>;
    return <Loaded {...props} />;
  };
}
