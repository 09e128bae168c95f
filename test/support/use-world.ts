import type { Config } from '../../src/config';
import type { EngineName } from './engines';
import { World } from './world';

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
