/**
 * The description of a body with one JSON object a line. The body as a whole is no JSON, so its type is text; a generated
 * client would else parse it as one object. `x-line-schema` describes a line.
 * @param names of the schemas of which a line has one
 */
export const linesOf = (names: readonly string[]) => ({
  schema: { type: 'string', description: 'One JSON object a line.' },
  'x-line-schema': { anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) },
});
