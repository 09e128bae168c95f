/** Values that the chart refuses: what they are, their text, and what the refusal by helm names. */
export const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  ['neither database nor secret', '{}', /missing property 'DATABASE_URL'/],
  ['a value that does not exist', 'replica: 3', /replica/],
  ['a setting that is no text', 'settings: { DRAIN_MS: 5 }', /DRAIN_MS/],
  ['an ingress without host', 'ingress: { enabled: true }', /host/],
  ['a setting that the chart decides', 'settings: { PORT: "9000" }', /PORT/],
  ['the port of the service for metrics', 'metrics: { port: 8080 }', /port/],
  ['a time to stop that the chart cannot see', 'extraEnv: [{ name: DRAIN_MS, value: "1" }]', /DRAIN_MS|name/],
  [
    'such a time among passwords',
    'credentials: { values: { DATABASE_URL: a, READINESS_DELAY_MS: "1" } }',
    /READINESS_DELAY_MS/,
  ],
  ['a digest that is none', 'image: { digest: "latest" }', /digest/],
  ['a setting of a key that is none', 'keys: { settings: { PORT: a } }', /PORT/],
  ['a budget that is no number', 'disruptionBudget: { maxUnavailable: some }', /maxUnavailable/],
  [
    'more instances at least than at most',
    'autoscaling: { enabled: true, minReplicas: 9, maxReplicas: 3 }\ncredentials: { existingSecret: a }\nkeys: { existingSecret: b }',
    /minReplicas is 9/,
  ],
];
