import { fold } from '../../../event/search';
import type { Deed } from '../../../rules/deed';
import type { DetectionEvent } from '../../../rules/event';
import { behindOf, clientOf, codeOf, isFailedLogin, loginOf } from '../../../rules/event-values';
import type { Finding } from '../../../rules/finding';
import { toStored } from '../../../store/rows/stored-text';

/** The stages of a break-in, in their order. A title names at most one step of each. */
export const STAGES = ['access', 'power', 'execution', 'data', 'harm', 'trail'] as const;
type Stage = (typeof STAGES)[number];

export const ENTITY_KINDS = ['login', 'address', 'host', 'session'] as const;
export const isEntityKind = (kind: string): kind is Entity['kind'] =>
  (ENTITY_KINDS as readonly string[]).includes(kind);
export interface Entity {
  readonly kind: (typeof ENTITY_KINDS)[number];
  readonly name: string;
  /** Whether it acted, or something was given to it or taken from it. */
  readonly part: 'did' | 'got';
}

/** What an alert adds to its incident. */
export interface About {
  readonly entities: readonly Entity[];
  /** Null: no stage is known. */
  readonly stage: Stage | null;
  /** The step in a few words. */
  readonly step: string;
}

const ENTITIES_MAX = 60;
const STEP_CHARS_MAX = 120;
/** What SQL Server writes in place of an address. */
const NO_ADDRESS = new Set(['local machine', 'named pipe']);

/** What an alert has stored. After an erasure, and before its incident is known, that is nothing. */
export const readAbout = (json: string): About => ({
  entities: [],
  stage: null,
  step: '',
  ...(JSON.parse(json) as Partial<About>),
});

/** What alerts share, as it is stored. */
export const linkOf = ({ kind, name }: Pick<Entity, 'kind' | 'name'>): string =>
  toStored(`${kind} ${fold(name)}`);

/** Adds what another finding says. The first step with a stage stays. */
export function joinedAbout(a: About | null, b: About): About {
  if (!a) return b;
  const entities = new Map([...a.entities, ...b.entities].map((one) => [`${one.part} ${linkOf(one)}`, one]));
  const lead = a.stage === null ? b : a;
  return { ...lead, entities: [...entities.values()].slice(0, ENTITIES_MAX) };
}

export function aboutOf(finding: Finding, events: readonly DetectionEvent[], deeds: readonly Deed[]): About {
  const failed = events.filter(isFailedLogin);
  const tried = new Set(failed.flatMap((event) => loginOf(event) ?? []));
  const entities: Entity[] = [];
  const add = (kind: Entity['kind'], name: unknown, part: Entity['part'] = 'did') => {
    if (typeof name === 'string' && name !== '') entities.push({ kind, name, part });
  };
  for (const event of events) {
    const { fields, additional } = event;
    // A name that was only tried is nobody who acted. One name alone is who the guessing aims at.
    if (!isFailedLogin(event) || tried.size === 1) add('login', loginOf(event));
    add('login', behindOf(event));
    const address = clientOf(event);
    if (address && !NO_ADDRESS.has(address)) add('address', address);
    add('host', fields.hostName);
    const session = Number(additional.sessionId ?? 0);
    if (session > 0) add('session', `${fields.serverInstanceName ?? ''} ${session}`);
  }
  if (events.length === 0) for (const name of finding.principals) add('login', name);
  for (const { to } of deeds) add('login', to, 'got');
  const { stage, step } = stepOf(finding, events, deeds);
  const text = step.length > STEP_CHARS_MAX ? `${step.slice(0, STEP_CHARS_MAX - 1)}…` : step;
  return joinedAbout({ entities: [], stage, step: text }, { entities, stage, step: text });
}

/** The beginning of a rule's title, up to its colon. */
export const headOf = (title: string): string => title.split(':')[0]?.trim() ?? title;
const PROCEDURE = /\b(?:xp_\w{1,100}|sp_OA\w{1,100}|sp_execute_external_script)\b/i;
const CONFIGURES = /\bsp_configure\b/i;
const READS = new Set(['SL', 'RF', 'VW', 'BA']);
const DESTROYS = new Set(['DR', 'DL', 'UP', 'TRUNCATE']);
const STOPS = new Set(['AUSC', 'AUSF', 'SVSD']);
const AUDITS = new Set(['A', 'SA', 'DA']);

function stepOf(
  { title }: Finding,
  events: readonly DetectionEvent[],
  deeds: readonly Deed[],
): Pick<About, 'stage' | 'step'> {
  const head = headOf(title);
  const actions = events.map(({ fields }) => codeOf(fields.actionId ?? '').toUpperCase());
  const failed = events.filter(isFailedLogin);
  const [guess] = failed;
  if (guess) {
    const from = clientOf(guess) ?? guess.fields.hostName ?? 'somebody';
    const success = events.find((event) => !isFailedLogin(event) && loginOf(event));
    const names = [...new Set(failed.flatMap((event) => loginOf(event) ?? []))];
    if (success) return { stage: 'access', step: `${from} guessed ${loginOf(success)}` };
    const whom = names.length === 1 ? names[0] : `${names.length} logins`;
    return { stage: 'access', step: `${from} tried ${whom}` };
  }
  const stops = events.findIndex(
    ({ additional }, i) => STOPS.has(actions[i] ?? '') || AUDITS.has(String(codeOf(additional.classType))),
  );
  if (stops >= 0)
    return { stage: 'trail', step: STOPS.has(actions[stops] ?? '') ? 'audit stopped' : 'audit changed' };
  const [first] = deeds;
  if (first) {
    const given = deeds.findLast(({ got }) => got !== null) ?? first;
    return { stage: 'power', step: given.got === null ? headOf(head) : `${given.to} ${given.got}` };
  }
  const ran = events
    .filter(({ fields }) => !CONFIGURES.test(fields.statement ?? ''))
    .map(({ fields }) => PROCEDURE.exec(`${fields.objectName ?? ''} ${fields.statement ?? ''}`)?.[0])
    .findLast(Boolean);
  if (ran) return { stage: 'execution', step: ran };
  if (actions.some((action) => READS.has(action))) return { stage: 'data', step: head };
  if (actions.some((action) => DESTROYS.has(action))) return { stage: 'harm', step: head };
  if (actions.includes('EX')) return { stage: 'execution', step: head };
  return { stage: null, step: head };
}
