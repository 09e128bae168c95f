import { hostname } from 'node:os';

type Json = Readonly<Record<string, unknown>>;

/** A configuration that holds for many hosts, with what is its own for each. */
interface Template {
  /** With the names of this host. */
  readonly content: Json;
  /** `CentralApi` without the token. */
  readonly central: Json;
  /** To be exchanged for a key; null: there is none. */
  readonly token: string | null;
}

/** @returns null: the text is that of one host, or no JSON */
export function templateOf(text: string, host = hostname()): Template | null {
  const content = objectIn(text.replace(/^\uFEFF/, ''));
  if (content === null) return null;
  const { EnrollToken, ...central } = isObject(content.CentralApi) ? content.CentralApi : {};
  const token = typeof EnrollToken === 'string' && EnrollToken.trim() !== '' ? EnrollToken.trim() : null;
  const publisher = content.EventHubPublisher;
  const databases = isObject(publisher) ? publisher.Databases : undefined;
  if (!Array.isArray(databases)) return EnrollToken === undefined ? null : { content, central, token };
  const named = databases.map((database: unknown) => withHost(database, host));
  if (EnrollToken === undefined && named.every((one, i) => one === databases[i])) return null;
  const EventHubPublisher = { ...(publisher as Json), Databases: named };
  return { content: { ...content, EventHubPublisher }, central, token };
}

function withHost(database: unknown, host: string): unknown {
  if (!isObject(database) || typeof database.Name !== 'string') return database;
  const name = database.Name.replaceAll(/%COMPUTERNAME%/gi, () => host);
  return name === database.Name ? database : { ...database, Name: name };
}

function objectIn(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
