import { nameProblems } from '../../caller/name-problems';
import { DESTINATION_FORMAT_NAMES } from '../../event/formats/formats';
import type { GivenValues, ParameterSpecs } from '../../event/parameter-specs';
import { LIMITS } from '../../limits';
import { problem } from '../../problem';
import { TYPE_NAMES } from './types';

const URL_CHARS_MAX = 2_000;
const ID = { kind: 'id', isRequired: true } as const;
const BEGINNING = {
  kind: 'time',
  words: ['beginning', 'now'],
  doc: 'beginning, now or a time of arrival.',
} as const;

export const CREATE_DESTINATION = {
  tenantId: { kind: 'reference', isRequired: true },
  type: {
    kind: 'choice',
    values: TYPE_NAMES,
    isRequired: true,
    doc: 'webhook, splunk-hec, elasticsearch, s3, azure-monitor, syslog or relp.',
  },
  from: { ...BEGINNING, isRequired: true, default: 'now' },
  name: { kind: 'text', isRequired: true, check: nameProblems },
  filter: {
    kind: 'filter',
    charsMax: LIMITS.expressionCharsMax,
    isRequired: true,
    default: '',
    doc: 'Empty: every event.',
  },
  format: {
    kind: 'choice',
    values: DESTINATION_FORMAT_NAMES,
    isRequired: true,
    default: 'native',
    doc: 'native, ocsf, ecs or cef.',
  },
  url: { kind: 'text', charsMax: URL_CHARS_MAX, isRequired: true },
  settings: { kind: 'json', doc: 'Settings of the type, as an object.' },
  secrets: { kind: 'json', doc: 'Secrets of the type, as an object. They are not shown again.' },
} as const satisfies ParameterSpecs;
export type DestinationRequest = GivenValues<typeof CREATE_DESTINATION>;

const { tenantId, type, format, url, settings, secrets } = CREATE_DESTINATION;
/** What a test of a destination that is not stored needs. */
export const TRY_DESTINATION = {
  tenantId,
  type,
  format,
  url,
  settings,
  secrets,
} as const satisfies ParameterSpecs;

export const UPDATE_DESTINATION = {
  destinationId: ID,
  name: { kind: 'text', check: nameProblems },
  filter: {
    kind: 'text',
    charsMax: LIMITS.expressionCharsMax,
    isEmptyAllowed: true,
    doc: 'Empty: every event.',
  },
  format: { kind: 'choice', values: DESTINATION_FORMAT_NAMES, doc: CREATE_DESTINATION.format.doc },
  url: {
    kind: 'text',
    charsMax: URL_CHARS_MAX,
    doc: 'At another server (the login URL too), the secrets that a message holds must be given again.',
  },
  settings: {
    kind: 'json',
    doc: 'The settings that change, as an object; null: as if it had never been given.',
  },
  secrets: { kind: 'json', doc: 'In place of all secrets that were given. They are not shown again.' },
} as const satisfies ParameterSpecs;
/** The changes of a destination. Null or absent: it stays as it is. */
export type DestinationChange = Omit<GivenValues<typeof UPDATE_DESTINATION>, 'destinationId'>;

/** What a test of a change needs, which is not stored. */
export const TRY_CHANGE = {
  destinationId: ID,
  format: UPDATE_DESTINATION.format,
  url: UPDATE_DESTINATION.url,
  settings: UPDATE_DESTINATION.settings,
  secrets: UPDATE_DESTINATION.secrets,
} as const satisfies ParameterSpecs;

export const DESTINATIONS = {
  tenantId: { kind: 'reference', doc: 'Null: of every tenant.' },
} as const satisfies ParameterSpecs;

export const ONE_DESTINATION = { destinationId: ID } as const satisfies ParameterSpecs;

export const SET_ASIDE = {
  destinationId: ID,
  first: {
    kind: 'integer',
    min: 1,
    max: LIMITS.destinationSetAsidePageMax,
    isRequired: true,
    default: LIMITS.destinationSetAsidePageDefault,
  },
} as const satisfies ParameterSpecs;

export const REPLAY_DESTINATION = {
  destinationId: ID,
  position: {
    kind: 'text',
    doc: 'The first position to be sent again.',
    check: (text: string, field: string) =>
      /^\d{1,15}$/.test(text) ? [] : [problem(field, 'malformed', 'must be a position of the log')],
  },
  from: BEGINNING,
} as const satisfies ParameterSpecs;

export const ROTATE_SECRET = {
  destinationId: ID,
  overlapMinutes: {
    kind: 'integer',
    min: 0,
    max: LIMITS.keyOverlapMinutesMax,
    isRequired: true,
    default: LIMITS.keyOverlapMinutesDefault,
    doc: 'Minutes for which messages of a webhook also carry the signature of the old secret.',
  },
  secrets: { kind: 'json', doc: 'The new secrets, for every type but webhook.' },
} as const satisfies ParameterSpecs;
