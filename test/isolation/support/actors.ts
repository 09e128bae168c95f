import { newKey } from '../../../src/caller/key-format';
import type { Answer } from '../../support/answer';
import { DashboardSession } from '../../support/dashboard-session';
import { type MarkedTenant, READ } from './marked-tenant';
import type { Stage } from './stage';

export type Kind = 'public' | 'agent' | 'operator' | 'session' | 'operator session' | 'nobody';

/** A caller of one kind. */
export interface Actor {
  readonly name: string;
  readonly kind: Kind;
  /** The tenants whose values it may see. */
  readonly tenants: readonly MarkedTenant[];
  /** The tenants of its key, which the log names even if it may not see them. */
  readonly boundTo?: readonly MarkedTenant[];
  /** The error code of a caller whose kind is permitted, but whose key is not. */
  readonly refusal?: 'unauthorized' | 'forbidden';
  /** The headers that identify it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** @returns a caller of each kind of principal */
export async function actorsOf({ world, a, b }: Stage): Promise<Actor[]> {
  const [one, other] = [a.tenant.tenantId, b.tenant.tenantId];
  const both = await world.key({ tenantIds: [one, other], scopes: [...READ] });
  const none = await world.keyWithoutTenants({ scopes: [...READ] });
  const unscoped = await world.keyWithoutScopes({ tenantIds: [one] });
  const [revoked, expired] = [await world.key({ tenantIds: [one] }), await world.key({ tenantIds: [one] })];
  await world.operate('mutation($id: String!) { revokeApiKey(keyId: $id) { keyId } }', { id: revoked.keyId });
  // A rotation without an overlap expires the old key at once.
  await world.operate('mutation($id: String!) { rotateApiKey(keyId: $id, overlapMinutes: 0) { keyId } }', {
    id: expired.keyId,
  });
  const key = (name: string, kind: Kind, apiKey: string, about: Partial<Actor> = {}): Actor => ({
    name,
    kind,
    tenants: [],
    headers: { 'X-Api-Key': apiKey },
    ...about,
  });
  const session = async (name: string, kind: Kind, apiKey: string, about: Partial<Actor>): Promise<Actor> => {
    const { cookie } = await DashboardSession.signIn(world, apiKey);
    return { name, kind, tenants: [], headers: { Cookie: cookie, 'X-Dashboard': '1' }, ...about };
  };
  return [
    key('a key of A', 'public', a.tenant.key, { tenants: [a] }),
    key('a key of B', 'public', b.tenant.key, { tenants: [b] }),
    key('a key of both', 'public', both.key, { tenants: [a, b] }),
    key('a key of none', 'public', none.key, { refusal: 'forbidden' }),
    key('a key without the scope', 'public', unscoped.key, { refusal: 'forbidden', boundTo: [a] }),
    key('a revoked key of A', 'public', revoked.key, { refusal: 'unauthorized' }),
    key('an expired key of A', 'public', expired.key, { refusal: 'unauthorized' }),
    key('a key nobody made', 'public', newKey('public'), { refusal: 'unauthorized' }),
    key('an agent of A', 'agent', a.tenant.agentKey, { tenants: [a] }),
    key('an agent of B', 'agent', b.tenant.agentKey, { tenants: [b] }),
    key('an operator', 'operator', world.operatorKey),
    await session('a session of A', 'session', a.tenant.key, { tenants: [a] }),
    await session('a session of B', 'session', b.tenant.key, { tenants: [b] }),
    await session('a session of both', 'session', both.key, { tenants: [a, b] }),
    await session("an operator's session", 'operator session', world.operatorKey, {}),
    { name: 'nobody', kind: 'nobody', tenants: [], refusal: 'unauthorized', headers: {} },
  ];
}

export const isOperator = ({ kind }: Actor) => kind === 'operator' || kind === 'operator session';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

let count = 0;
/** A service refuses more calls with unknown keys from one address than this in a minute. */
const CALLS_OF_ADDRESS = 200;
const callsOf = new Map<string, number>();

/** Makes a call of an actor from addresses of its own. @returns the answer, and its request id in the log */
export async function call(
  { world }: Stage,
  { headers, name }: Actor,
  { path, ...init }: Call,
): Promise<{ readonly answer: Answer; readonly requestId: string }> {
  count += 1;
  const requestId = `isolation-${count}`;
  const before = callsOf.get(name) ?? 0;
  callsOf.set(name, before + 1);
  const address = `203.0.${113 + Math.floor(before / CALLS_OF_ADDRESS)}.${1 + (hash(name) % 250)}`;
  const answer = await world.fetch(path, {
    ...init,
    headers: { ...headers, 'X-Request-Id': requestId, 'X-Forwarded-For': address, ...init.headers },
  });
  return { answer, requestId };
}

const hash = (text: string) => Array.from(text).reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) >>> 0, 7);
