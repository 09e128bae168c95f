/** The properties of an installer, as the user gave them. */
export interface ConfigProperties {
  readonly apiUrl?: string;
  readonly apiKey?: string;
  /** Exchanged for a key when the configuration is written. */
  readonly enrollToken?: string;
  readonly auditPath?: string;
  readonly dbName?: string;
  readonly tenantId?: string;
}

type Merged =
  | { readonly kind: 'merged'; readonly content: unknown }
  | { readonly kind: 'unclear'; readonly problem: string };

/**
 * A configuration changed by the properties; everything else stays. `parseConfig` says whether the result is valid.
 *
 * The database is the one called `dbName`, else (renamed) the one that reads `auditPath`, else a new one. With only one of
 * these properties, it is the only database there is.
 * @param existing content of the present file, null if there is none
 */
export function mergeConfig(existing: unknown, properties: ConfigProperties): Merged {
  const content = objectOf(existing);
  const publisher = objectOf(content.EventHubPublisher);
  const merged = mergeDatabase(publisher.Databases, properties);
  if ('problem' in merged) return { kind: 'unclear', problem: merged.problem };
  return {
    kind: 'merged',
    content: {
      ...content,
      CentralApi: {
        ...objectOf(content.CentralApi),
        ...(properties.apiUrl !== undefined && { BaseUrl: properties.apiUrl }),
        ...(properties.apiKey !== undefined && { ApiKey: properties.apiKey }),
        ...(properties.enrollToken !== undefined && { EnrollToken: properties.enrollToken }),
        ...(properties.tenantId !== undefined && { TenantId: properties.tenantId }),
      },
      EventHubPublisher: { Enabled: true, ...publisher, Databases: merged.databases },
    },
  };
}

/**
 * A configuration merged with a part of one. Objects are merged, `null` removes a setting, and any other value replaces
 * the old one. Each database is merged with the one of its name, else (renamed) with the one that reads its files.
 */
export function mergeContent(existing: unknown, part: unknown): unknown {
  const merged = mergeValues(existing, part);
  const present = objectOf(objectOf(existing).EventHubPublisher).Databases;
  const given = objectOf(objectOf(part).EventHubPublisher).Databases;
  if (!Array.isArray(present) || !Array.isArray(given)) return merged;
  const content = objectOf(merged);
  const publisher = objectOf(content.EventHubPublisher);
  return { ...content, EventHubPublisher: { ...publisher, Databases: mergeDatabases(present, given) } };
}

function mergeValues(existing: unknown, part: unknown): unknown {
  if (!isObject(part)) return part;
  const merged = { ...objectOf(existing) };
  for (const [name, value] of Object.entries(part)) {
    if (value === null) delete merged[name];
    else merged[name] = mergeValues(merged[name], value);
  }
  return merged;
}

function mergeDatabases(present: readonly unknown[], given: readonly unknown[]): readonly unknown[] {
  const named = given.map(nameIn);
  const databases = [...present];
  for (const database of given) {
    const isNamed = (each: unknown) => nameIn(each) === nameIn(database);
    const path = pathIn(database);
    const isRead = (each: unknown) =>
      path !== undefined && pathIn(each) === path && !named.includes(nameIn(each));
    const places = [isNamed, isRead, isTemplate].map((test) => databases.findIndex(test));
    const place = places.find((index) => index >= 0) ?? databases.length;
    databases[place] = mergeValues(databases[place], database);
  }
  return databases;
}

type MergedDatabases = { readonly databases: unknown } | { readonly problem: string };

function mergeDatabase(existing: unknown, properties: ConfigProperties): MergedDatabases {
  const { dbName, auditPath } = properties;
  // If this is not a list, the check of the whole configuration reports it.
  if (existing !== undefined && !Array.isArray(existing)) return { databases: existing };
  const databases: readonly unknown[] = existing ?? [];
  if (dbName === undefined && auditPath === undefined) return { databases };
  const index = placeOf(databases, properties);
  if (index !== null) return { databases: databases.with(index, changed(databases[index], properties)) };
  if (databases.length === 0 || (dbName !== undefined && auditPath !== undefined)) {
    return { databases: [...databases, changed({}, properties)] };
  }
  return {
    problem:
      dbName === undefined
        ? `AUDITPATH needs DBNAME, since there are ${databases.length} databases`
        : `DBNAME needs AUDITPATH, since none of the ${databases.length} databases has this name`,
  };
}

/** Index of the database that the properties are about; null: it is a new one. */
function placeOf(databases: readonly unknown[], { dbName, auditPath }: ConfigProperties): number | null {
  const name = dbName?.trim().toLowerCase();
  const isNamed = (database: unknown) => nameIn(database) === name;
  const isRead = (database: unknown) => pathIn(database) === auditPath;
  const candidates = [
    name === undefined ? -1 : databases.findIndex(isNamed),
    auditPath === undefined ? -1 : databases.findIndex(isRead),
    databases.length === 1 && (dbName === undefined || auditPath === undefined) ? 0 : -1,
    databases.findIndex(isTemplate),
  ];
  return candidates.find((index) => index >= 0) ?? null;
}

function changed(database: unknown, { dbName, auditPath }: ConfigProperties): unknown {
  const old = objectOf(database);
  const source = objectOf(old.AuditSource);
  const directFile = objectOf(source.DirectFile);
  return {
    Name: dbName,
    Enabled: true,
    ...old,
    ...(dbName !== undefined && { Name: dbName }),
    AuditSource: {
      Type: 'DirectFile',
      ...source,
      DirectFile: { ...directFile, ...(auditPath !== undefined && { AuditFilePath: auditPath }) },
    },
  };
}

const nameIn = (database: unknown): string => String(objectOf(database).Name).trim().toLowerCase();

/** A package brings this database for people to fill in. */
const isTemplate = (database: unknown): boolean => /^<.*>$/.test(nameIn(database));

const pathIn = (database: unknown): unknown =>
  objectOf(objectOf(objectOf(database).AuditSource).DirectFile).AuditFilePath;

/** Anything but an object counts as an empty one, so the check of the whole configuration names what is missing. */
const objectOf = (value: unknown): Record<string, unknown> => (isObject(value) ? { ...value } : {});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
