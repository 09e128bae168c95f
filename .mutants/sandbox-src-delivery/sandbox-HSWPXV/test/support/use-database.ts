import type { Database } from '../../src/database/clients';
import { openDatabase } from '../../src/database/database';
import { migrate } from '../../src/database/migrate';
import { createTestDatabase, type EngineName, type TestDatabase } from './engines';

/** A database with the empty tables of the service, for the tests of one `describe`. */
export function useDatabase(engine: EngineName) {
  let place: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    place = await createTestDatabase(engine);
    db = await openDatabase(place);
    await migrate(db.migrator);
  });
  afterAll(async () => {
    await db.close();
    await place.drop();
  });
  return {
    get place() {
      return place;
    },
    get db() {
      return db;
    },
  };
}
