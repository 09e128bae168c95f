/** Actions whose additional information describes the client's connection. */
const LOGIN_ACTIONS = new Set(['LGIS', 'LGIF', 'LGO', 'DBAS', 'DBAF', 'DBL']);
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The client's address as files from before SQL Server 2017 state it, which have no column for it. */
export function loginAddress(actionId: string, additionalInformation: string): string | null {
  if (!LOGIN_ACTIONS.has(actionId)) return null;
  const address = /<address>([^<]*)<\/address>/i.exec(additionalInformation)?.[1]?.trim();
  return address
    ? address.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '')
    : null;
}
