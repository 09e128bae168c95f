import { z } from 'zod';

/** The settings and secrets that types of destinations share, each with its check. */

/** One line. */
export const text = (max = 512) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => !/\p{Cc}|\p{Cs}/u.test(value), { error: 'must not have control characters' });
/** A field as forms show it, with what a reader must know of it. */
export const named = <T extends z.ZodType>(title: string, description: string, schema: T): T =>
  schema.meta({ title, description });
/** A text of several lines. */
const LINES = { lines: true };
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Headers that the service sets itself, for the body and the connection. */
const OWN_HEADERS =
  /^(?:content-.*|host|connection|transfer-encoding|user-agent|webhook-.*|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i;
/** A text that a header can carry: in HTTP/1.1 a character is one byte. */
export const headerText = (max?: number) =>
  text(max).refine((value) => !/[^\0-\xFF]/.test(value), {
    error: 'must not have characters above U+00FF, which a header cannot carry',
  });
/** Makes a check of the whole run beside the checks of its parts, so that a caller sees all problems at once. */
export const always = {
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
};
const headerRecord = z
  .record(
    z
      .string()
      .regex(NAME, { error: 'is no name of a header' })
      .refine((name) => !OWN_HEADERS.test(name), { error: 'is a header that the service sets itself' }),
    headerText(4_000),
  )
  .refine((value) => Object.keys(value).length <= 20, { error: 'must be at most 20', ...always })
  .refine(
    (value) =>
      new Set(Object.keys(value).map((name) => name.toLowerCase())).size === Object.keys(value).length,
    {
      error: 'must not have a name twice, in small and in capital letters',
      ...always,
    },
  )
  .optional();
export const headers = named(
  'Headers',
  'Sent with each message: one per line, as Name: value.',
  headerRecord,
);
const PEM = /^-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/;
export const ca = z
  .string()
  .max(100_000)
  .regex(PEM, { error: 'must be certificates in PEM' })
  .optional()
  .meta({
    ...LINES,
    title: 'CA certificates',
    description: 'In PEM. They verify the receiver in place of the usual ones.',
  });
const pem = z.string().max(100_000).startsWith('-----BEGIN ', { error: 'must be PEM' }).optional();
/** The certificate that the service shows to a receiver that asks for one. */
export const clientCertificate = z
  .strictObject({
    clientCertificate: pem.meta({
      ...LINES,
      title: 'Client certificate',
      description: 'In PEM, for a receiver that asks for one.',
    }),
    clientKey: pem.meta({ ...LINES, title: 'Key of the client certificate', description: 'In PEM.' }),
  })
  .refine((given) => (given.clientCertificate === undefined) === (given.clientKey === undefined), {
    error: 'a client certificate and its key are given together',
    ...always,
  });

/** Settings of every type: what leaves with an event. */
export const SHOWN = {
  omitEmpty: named(
    'Leave out empty fields',
    'Fields without a value do not leave, and neither do values of additional that are zero.',
    z.boolean().optional(),
  ),
  withoutAdditional: named(
    'Leave out additional',
    'The fields of the audit record that have no name of their own do not leave.',
    z.boolean().optional(),
  ),
};

export const appName = named(
  'Application name',
  'APP-NAME of the messages.',
  z
    .string()
    .regex(/^[!-~]{1,48}$/)
    .default('audit-activity'),
);
export const guid = (whose: string) =>
  z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, { error: `must be the GUID ${whose}` });
