import type { Config } from '../config';
import { LIMITS } from '../limits';
import { openBackground, openMigration } from './background-pool';
import { checkLogin } from './check-login';
import type { Database } from './clients';
import { isDistributed } from './distribute/distribute';
import { layout } from './each-tenant';
import { openEmbedded } from './embedded';
import { openLimited } from './limited';
import type { OnServerError } from './server-disk';
import { Standby } from './standby';

type Where = Pick<Config, 'databaseUrl' | 'dataDir'> &
  Partial<Pick<Config, 'migrationDatabaseUrl' | 'backgroundStatementMs'>>;

/** @throws LoginRefused when a login of PostgreSQL can't be used */
export async function openDatabase(
  where: Where,
  onServerError: OnServerError = () => {},
  standby = new Standby(),
): Promise<Database> {
  const { databaseUrl, migrationDatabaseUrl, dataDir, backgroundStatementMs } = where;
  if (!databaseUrl) return openEmbedded(dataDir);
  await checkLogin('DATABASE_URL', databaseUrl, !migrationDatabaseUrl);
  if (migrationDatabaseUrl) await checkLogin('MIGRATION_DATABASE_URL', migrationDatabaseUrl, true);
  return openPostgres(
    databaseUrl,
    migrationDatabaseUrl ?? null,
    backgroundStatementMs ?? LIMITS.backgroundStatementMsDefault,
    onServerError,
    standby,
  );
}

/** @param ownerUrl null: `connectionString` is the owner's login */
async function openPostgres(
  connectionString: string,
  ownerUrl: string | null,
  backgroundStatementMs: number,
  onServerError: OnServerError,
  standby: Standby,
): Promise<Database> {
  const ownersUrl = ownerUrl ?? connectionString;
  const background = openBackground(ownersUrl, backgroundStatementMs, onServerError, standby);
  // Asked only here, because tables are distributed while no service runs.
  const isOnNodes = await isDistributed(background.models).catch(async (error: unknown) => {
    await background.models.$disconnect();
    throw error;
  });
  const reach = { connectionString, isOwner: ownerUrl === null, isDistributed: isOnNodes };
  const { service, connections } = openLimited(reach, onServerError, standby);
  const owner = { login: 'owner', ...layout(isOnNodes) } as const;
  const doors = {
    service,
    owner: { ...owner, ...background },
    migrator: { ...owner, ...openMigration(ownersUrl) },
  };
  return {
    ...doors,
    connections,
    close: async () => {
      standby.close();
      await Promise.all(Object.values(doors).map(({ models }) => models.$disconnect()));
    },
  };
}
