import type { Config } from '../../src/config';
import type { EngineName } from './engines';
import { World } from './world';

/** Worlds that the `describe`s of a file share, and the number of `describe`s that still need each. */
const shared = new Map<EngineName, { world: Promise<World> | null; users: number }>();

/** A world that the `describe`s of a file share: for tests that change nothing which other tests see. */
export function useSharedWorld(engine: EngineName): { readonly world: World } {
  const own = shared.get(engine) ?? { world: null, users: 0 };
  shared.set(engine, own);
  own.users++;
  let open: World | undefined;
  beforeAll(async () => {
    own.world ??= World.open(engine);
    open = await own.world;
  });
  afterAll(async () => {
    if (--own.users === 0) await open?.close();
  });
  return {
    get world() {
      if (!open) throw new Error('the world opens before the first test, not while tests are declared');
      return open;
    },
  };
}

/** A world for the tests of one `describe`, opened before the first and closed after the last. */
export function useWorld(engine: EngineName, settings: Partial<Config> = {}): { readonly world: World } {
  let open: World | undefined;
  beforeAll(async () => {
    open = await World.open(engine, settings);
  });
  afterAll(() => open?.close());
  return {
    get world() {
      if (!open) throw new Error('the world opens before the first test, not while tests are declared');
      return open;
    },
  };
}
