import { z } from 'zod';
import type { FeedFormat } from '../../event/formats/formats';
import { checkParameters } from '../../event/parse-parameters';
import { LIMITS } from '../../limits';
import { type Problem, problem, tooLong } from '../../problem';
import { CREATE_DESTINATION, type DestinationRequest } from './destination-parameters';
import { type DestinationType, isType, typeSpec } from './types';

interface CheckedRequest {
  readonly name: string;
  readonly type: DestinationType;
  readonly format: FeedFormat;
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
  const problems = [...common, ...ofUrl, ...settings.problems, ...secrets.problems];
  if (problems.length > 0) return { problems };
  const { name, filter, format, from } = values;
  const url = new URL(values.url);
  return {
    checked: { name, filter, type, format, from, url, settings: settings.value, secrets: secrets.value },
  };
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
