import { z } from 'zod';
import { nameProblems } from '../../caller/name-problems';
import { parseFilter } from '../../event/expression/parse-filter';
import { FEED_FORMAT_NAMES, type FeedFormat } from '../../event/formats/formats';
import { LIMITS } from '../../limits';
import { type DestinationType, isType, TYPE_NAMES, typeSpec } from './types';

/** An operator's request for a destination. */
export interface DestinationRequest {
  readonly tenantId: string;
  readonly name: string;
  readonly type: string;
  readonly url: string;
  readonly filter: string;
  readonly format: string;
  readonly settings: unknown;
  readonly secrets: unknown;
}

interface CheckedRequest {
  readonly name: string;
  readonly type: DestinationType;
  readonly format: FeedFormat;
  readonly url: URL;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, unknown>>;
}

/** @returns the checked request, or every problem with it */
export function checkRequest(
  request: DestinationRequest,
): { readonly checked: CheckedRequest } | { readonly problems: string[] } {
  const { name, type, format } = request;
  const common = [
    ...nameProblems(name),
    ...filterProblems(request.filter),
    ...(isFormat(format) ? [] : [`format must be one of ${FEED_FORMAT_NAMES.join(', ')}`]),
  ];
  if (!isType(type)) return { problems: [`type must be one of ${TYPE_NAMES.join(', ')}`, ...common] };
  const spec = typeSpec(type);
  const settings = checkPart('settings', spec.settings, request.settings ?? {});
  const secrets = checkPart('secrets', spec.secrets, request.secrets ?? {});
  const ofType = [...urlProblems(request.url, type), ...settings.problems, ...secrets.problems];
  const problems = [...common, ...ofType];
  if (problems.length > 0 || !isFormat(format)) return { problems };
  const url = new URL(request.url);
  return { checked: { name, type, format, url, settings: settings.value, secrets: secrets.value } };
}

function filterProblems(filter: string): string[] {
  if (filter === '') return [];
  const parsed = parseFilter(filter);
  return 'problem' in parsed ? [`filter: ${parsed.problem}`] : [];
}

const FORMAT_NAMES: readonly string[] = FEED_FORMAT_NAMES;
const isFormat = (text: string): text is FeedFormat => FORMAT_NAMES.includes(text);

/** The secrets of a type as an operator gives them. */
export const checkSecrets = (type: DestinationType, given: unknown) =>
  checkPart('secrets', typeSpec(type).secrets, given);

function checkPart(part: string, schema: z.ZodType, given: unknown) {
  if (JSON.stringify(given).length > LIMITS.destinationSettingsCharsMax)
    return {
      value: {},
      problems: [`${part} must be at most ${LIMITS.destinationSettingsCharsMax} characters`],
    };
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return { value: parsed.data as Readonly<Record<string, unknown>>, problems: [] };
  const problems = parsed.error.issues.map((issue) => {
    const name = [part, ...issue.path.map(String)].join('.').slice(0, 100);
    return `${name}: ${reasonOf(issue).slice(0, 300)}`;
  });
  return { value: {}, problems };
}

function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is missing';
  // The key of a record has checks of its own.
  return (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined) ?? issue.message;
}

const URL_CHARS_MAX = 2_000;

function urlProblems(text: string, type: DestinationType): string[] {
  const { protocols } = typeSpec(type);
  const wanted = `url must begin with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  if (text.length > URL_CHARS_MAX) return [`url must be at most ${URL_CHARS_MAX} characters`];
  if (!URL.canParse(text)) return [`${wanted} and be a URL`];
  const url = new URL(text);
  return [
    ...(protocols.includes(url.protocol) && url.hostname !== '' ? [] : [wanted]),
    ...(url.username === '' && url.password === '' ? [] : ['url must not have a user name or a password']),
    ...(url.hash === '' ? [] : ['url must not have a fragment']),
    ...(url.search === '' || type === 'webhook' ? [] : ['url must not have a query']),
  ];
}
