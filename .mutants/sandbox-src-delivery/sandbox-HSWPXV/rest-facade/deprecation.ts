import { LIMITS } from '../src/limits';

/**
 * The deprecation of a route: when it was announced, when the route may be removed, and where callers read what to use
 * instead.
 */
export interface Deprecation {
  /** `YYYY-MM-DD`, UTC. */
  readonly since: string;
  /** `YYYY-MM-DD`, UTC; at least `LIMITS.sunsetMonthsMin` months later. */
  readonly sunset: string;
  /** A path of this service or an address. */
  readonly see: string;
}

/**
 * Headers of every answer of a deprecated route, including refusals: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and
 * `Link`.
 */
export function deprecationHeaders({ since, sunset, see }: Deprecation): Readonly<Record<string, string>> {
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `<${see}>; rel="deprecation"; type="text/html"`,
  };
}

/** @throws Error when a date is invalid, or the dates give callers less time than promised */
export function checkDeprecation(deprecation: Deprecation): void {
  const first = new Date(deprecation.since);
  const least = new Date(first);
  least.setUTCMonth(first.getUTCMonth() + LIMITS.sunsetMonthsMin);
  if (!(Date.parse(deprecation.sunset) >= least.getTime()))
    throw new Error(
      `${deprecation.sunset} is not ${LIMITS.sunsetMonthsMin} months after ${deprecation.since}`,
    );
}
