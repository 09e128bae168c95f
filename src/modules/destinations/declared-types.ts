import { z } from 'zod';
import { DESTINATION_FORMAT_NAMES } from '../../event/formats/formats';
import type { Answer } from '../../event/shape';
import type { DESTINATION_FIELD, DESTINATION_TYPE } from './answers';
import { type DestinationType, TYPE_NAMES, typeSpec } from './types';

type Field = Answer<typeof DESTINATION_FIELD>;

/** All types with their fields, as `types.ts` declares them. Forms are made of this. */
export const declaredTypes = (): readonly Answer<typeof DESTINATION_TYPE>[] => TYPE_NAMES.map(declared);

function declared(type: DestinationType): Answer<typeof DESTINATION_TYPE> {
  const { settings, secrets, protocols, formats, doc } = typeSpec(type);
  return {
    type,
    doc,
    protocols,
    formats: formats ?? DESTINATION_FORMAT_NAMES,
    fields: [
      ...Object.entries(settings.shape).map((entry) => fieldOf(entry, false)),
      ...Object.entries(secrets.shape).map((entry) => fieldOf(entry, true)),
    ],
  };
}

function fieldOf([name, schema]: readonly [string, unknown], isSecret: boolean): Field {
  const { title = name, description = '', lines } = (schema as z.ZodType).meta() ?? {};
  const { inner, isRequired, byDefault } = unwrapped(schema as z.ZodType);
  const { type, entries = {} } = inner.def as { readonly type: string; readonly entries?: object };
  return {
    name,
    label: title,
    doc: description,
    isSecret,
    isRequired,
    default: byDefault === undefined || byDefault === '' ? null : String(byDefault),
    values: Object.values(entries),
    kind: lines === true ? 'lines' : (KINDS[type] ?? 'text'),
  };
}

const KINDS: Readonly<Record<string, Field['kind']>> = {
  boolean: 'switch',
  enum: 'choice',
  record: 'headers',
};

/** The schema within those that say that it may be left out. */
function unwrapped(schema: z.ZodType) {
  if (schema instanceof z.ZodOptional)
    return { inner: schema.unwrap() as z.ZodType, isRequired: false, byDefault: undefined };
  if (schema instanceof z.ZodDefault)
    return { inner: schema.unwrap() as z.ZodType, isRequired: false, byDefault: schema.def.defaultValue };
  return { inner: schema, isRequired: true, byDefault: undefined };
}
