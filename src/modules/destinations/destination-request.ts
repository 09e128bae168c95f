import { z } from 'zod';
import { DESTINATION_FORMAT_NAMES, type DestinationFormat } from '../../event/formats/formats';
import { checkParameters } from '../../event/parse-parameters';
import { LIMITS } from '../../limits';
import { type Problem, problem, tooLong } from '../../problem';
import type { Destination } from './destination';
import {
  CREATE_DESTINATION,
  type DestinationChange,
  type DestinationRequest,
} from './destination-parameters';
import { type DestinationType, isType, type StoredSecrets, typeSpec } from './types';

export interface CheckedRequest {
  readonly name: string;
  readonly type: DestinationType;
  readonly format: DestinationFormat;
  readonly filter: string;
  readonly from: string;
  readonly url: URL;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, unknown>>;
}

/** @returns the checked request, or every problem with it */
export function checkRequest(
  request: DestinationRequest,
): { readonly checked: CheckedRequest } | { readonly problems: readonly Problem[] } {
  const { values, problems: common } = checkParameters(CREATE_DESTINATION, request);
  const { type } = request;
  if (!isType(type)) return { problems: common };
  const spec = typeSpec(type);
  const settings = checkPart('settings', spec.settings, request.settings ?? {});
  const secrets = checkPart('secrets', spec.secrets, request.secrets ?? {});
  const ofUrl = values.url === undefined ? [] : urlProblems(values.url, type);
  const ofFormat = formatProblems(type, request.format);
  const problems = [...common, ...ofUrl, ...ofFormat, ...settings.problems, ...secrets.problems];
  if (problems.length > 0) return { problems };
  const { name, filter, format, from } = values;
  const url = new URL(values.url);
  return {
    checked: { name, filter, type, format, from, url, settings: settings.value, secrets: secrets.value },
  };
}

/**
 * @param open the secrets that are stored
 * @returns the destination as it is after a change, or every problem with it
 */
export function checkChange(
  { tenantId, name, type, filter, format, settings: stored }: Destination,
  { signing: _, query: __, ...given }: StoredSecrets,
  change: DestinationChange,
): { readonly checked: CheckedRequest } | { readonly problems: readonly Problem[] } {
  const { url: storedUrl, ...settings } = stored as { readonly url: string; readonly loginUrl?: string };
  if (Object.values(change).every((value) => value === null || value === undefined)) {
    const message = 'give what is to be changed';
    return { problems: [{ code: 'missing', field: null, message, detail: {} }] };
  }
  const result = checkRequest({
    tenantId: String(tenantId),
    type,
    from: 'now',
    name: change.name ?? name,
    filter: change.filter ?? filter,
    format: change.format ?? format,
    url: change.url ?? storedUrl,
    settings: isPlain(change.settings) ? changed(settings, change.settings) : (change.settings ?? settings),
    secrets: change.secrets ?? given,
  });
  const isElsewhere =
    isMoved(change.url ?? undefined, storedUrl) ||
    (isPlain(change.settings) &&
      'loginUrl' in change.settings &&
      isMoved(change.settings.loginUrl, settings.loginUrl));
  const isSent = Object.keys(given).some((secret) => !NEVER_SENT.includes(secret));
  // A secret that the service never shows must not reach a server that somebody names later.
  if (!isElsewhere || !isSent || change.secrets != null) return result;
  const message = 'secrets must be given again, because a URL names another server';
  const moved: Problem = { code: 'missing', field: 'secrets', message, detail: {} };
  return { problems: [...('problems' in result ? result.problems : []), moved] };
}

/** Secrets that prove something to the receiver and do not reach it. */
const NEVER_SENT: readonly string[] = ['clientCertificate', 'clientKey'];

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const changed = (settings: object, change: object) =>
  Object.fromEntries(Object.entries({ ...settings, ...change }).filter(([, value]) => value !== null));

/** Whether a change leads to another server than before. An address that is taken back may lead anywhere. */
function isMoved(given: unknown, stored: string | undefined): boolean {
  if (given === undefined || given === stored) return false;
  if (typeof given !== 'string') return given !== null || stored !== undefined;
  if (!URL.canParse(given) || stored === undefined) return true;
  const [a, b] = [new URL(given), new URL(stored)];
  return a.protocol !== b.protocol || a.host !== b.host;
}

/** The secrets of a type as an operator gives them. */
export const checkSecrets = (type: DestinationType, given: unknown) =>
  checkPart('secrets', typeSpec(type).secrets, given);

function checkPart(part: string, schema: z.ZodType, given: unknown) {
  const max = LIMITS.destinationSettingsCharsMax;
  if (JSON.stringify(given).length > max) return { value: {}, problems: [tooLong(part, max)] };
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return { value: parsed.data as Readonly<Record<string, unknown>>, problems: [] };
  return { value: {}, problems: parsed.error.issues.map((issue) => problemOf(part, issue)) };
}

function problemOf(part: string, issue: z.core.$ZodIssue): Problem {
  const field = [part, ...issue.path.map(String)].join('.').slice(0, 100);
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  // The key of a record has checks of its own.
  const ofKey = issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;
  const reason = isMissing ? 'is missing' : (ofKey ?? issue.message).slice(0, 300);
  const code = isMissing ? 'missing' : issue.code === 'unrecognized_keys' ? 'unknown' : 'malformed';
  return { code, field, message: `${field}: ${reason}`, detail: {} };
}

function formatProblems(type: DestinationType, format: string | null | undefined): Problem[] {
  const { formats } = typeSpec(type);
  const known = DESTINATION_FORMAT_NAMES.find(
    (name) => name === (format ?? CREATE_DESTINATION.format.default),
  );
  if (formats === undefined || known === undefined || formats.includes(known)) return [];
  return [problem('format', 'conflict', `must be ${formats.join(', ')} for ${type}`)];
}

function urlProblems(text: string, type: DestinationType): Problem[] {
  const { protocols } = typeSpec(type);
  const wrong = (says: string) => problem('url', 'malformed', says);
  const wanted = `must begin with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  if (!URL.canParse(text)) return [wrong(`${wanted} and be a URL`)];
  const url = new URL(text);
  return [
    ...(protocols.includes(url.protocol) && url.hostname !== '' ? [] : [wrong(wanted)]),
    ...(url.username === '' && url.password === '' ? [] : [wrong('must not have a user name or a password')]),
    ...(url.hash === '' ? [] : [wrong('must not have a fragment')]),
    ...(url.search === '' || type === 'webhook' ? [] : [wrong('must not have a query')]),
  ];
}
