import { within } from '../../deadline';
import { type NetworkGuard, RefusedAddress } from '../../delivery/network-guard';
import type { Problem } from '../../problem';

const LOOKUP_MS = 3_000;

/** The problems of a receiver's address. A name that cannot be resolved yet is a problem only for a connection without encryption. */
export async function addressProblems(guard: NetworkGuard, { hostname, protocol }: URL): Promise<Problem[]> {
  const isPlain = protocol === 'http:' || protocol === 'relp:';
  const late = () => new Error('the name was not resolved in time');
  try {
    await within(LOOKUP_MS, late, () => guard.addressesOf(hostname.replace(/^\[|\]$/g, ''), isPlain));
  } catch (error) {
    if (error instanceof RefusedAddress) return [addressProblem(error.message)];
    if (isPlain)
      return [
        addressProblem(
          `${hostname} is not known, and without encryption only networks of DESTINATION_ALLOW_NETWORKS are reached`,
        ),
      ];
  }
  return [];
}

const addressProblem = (says: string): Problem => ({
  code: 'refused',
  field: 'url',
  message: `url: ${says}`,
  detail: {},
});

export const noSuchTenantNamed = (id: string): Problem => ({
  code: 'not_there',
  field: 'tenantId',
  message: `tenant ${id.slice(0, 20)} does not exist`,
  detail: {},
});
