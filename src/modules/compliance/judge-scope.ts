import { inQuotes } from '../../event/expression/value-text';
import type { FieldName } from '../../event/fields';
import { fold } from '../../event/search';
import { LIMITS } from '../../limits';
import type { Check } from './frameworks';
import {
  filterSentence,
  type GroupState,
  gapAt,
  gapSentence,
  idsOf,
  judgeGroups,
  observedAt,
  type ScopeOf,
  stateOfGroup,
  unreadSentence,
  type Verdict,
  verdict,
} from './judge-groups';
import { judgeVerified } from './judge-own';
import { LOGONS, OBJECT_ACCESS, objectKey, READS_OF_FILES } from './later-questions';
import { isNamed, type SensitiveObject } from './scope';
import type { InstanceTrail } from './trail';

const AUDIT_CHANGE = 'AUDIT_CHANGE_GROUP';
const NAMES_SHOWN = 5;

/** Whether accesses to the objects that are declared sensitive are recorded. */
export async function judgeSensitive(
  trail: InstanceTrail,
  scopeOf: ScopeOf,
  within: string | null,
): Promise<Verdict> {
  const { isSensitiveKnown } = trail.scope;
  const sensitive = trail.scope.sensitive.filter(
    ({ databaseName }) => within === null || fold(databaseName) === fold(within),
  );
  if (sensitive.length === 0) {
    if (isSensitiveKnown)
      return verdict('not_applicable', 'No object of the instance is declared sensitive.');
    const all = judgeGroups({ groups: [OBJECT_ACCESS] }, trail, scopeOf);
    if (all.status !== 'unknown') return all;
    return { ...all, reason: `${all.reason} No object is declared sensitive.` };
  }
  const accesses = await trail.accesses();
  const states = sensitive.map((object) => stateOfObject(object, trail, accesses));
  const about = { groups: states.map(({ state }) => state) };
  const recordIds = [...new Set(states.flatMap(({ state }) => state.recordId ?? []))];
  const of = (...wanted: GroupState['state'][]) => states.filter(({ state }) => wanted.includes(state.state));
  const [ended] = of('contradicted').sort((a, b) => ((a.state.since ?? '') < (b.state.since ?? '') ? -1 : 1));
  if (ended) {
    const by = ended.state.by === null ? '' : ` by ${ended.state.by}`;
    const since = ended.state.since;
    return verdict('fail', `Access to ${namesOf(of('contradicted'))} is not recorded since ${since}${by}.`, {
      ...about,
      since,
      recordIds: of('contradicted').flatMap(({ state }) => state.recordId ?? []),
    });
  }
  const gap = gapAt(trail, trail.period.to);
  if (gap) return verdict('fail', gapSentence(gap), { ...about, since: gap.afterTime });
  const filtered = sensitive.flatMap((object) => filterOf(object, trail) ?? [])[0];
  if (filtered)
    return verdict('unknown', filterSentence(filtered), { ...about, recordIds: idsOf([filtered]) });
  const silent = of('silent');
  if (silent.length > 0) {
    const many = accesses === null ? ' Accesses were to more objects than can be counted.' : '';
    return verdict('unknown', `No record says that access to ${namesOf(silent)} is recorded.${many}`, about);
  }
  const since =
    states
      .map(({ state }) => state.since ?? '')
      .sort()
      .at(-1) ?? null;
  const shown = of('observed');
  const alone = shown.length > 0 ? ` Of ${namesOf(shown)}, events alone show it.` : '';
  return verdict('pass', `Access to each sensitive object is recorded.${alone}`, {
    ...about,
    since,
    recordIds,
  });
}

const filterOf = (object: SensitiveObject, { replay }: InstanceTrail) =>
  replay.filterOf(
    object.databaseName,
    (one) => one.groups.has(OBJECT_ACCESS) || replay.hasActionOn(one, object),
  );

interface ObjectState {
  readonly name: string;
  readonly state: GroupState;
}

/** @param accesses null: they are not known, and an access may show that an object is recorded again */
function stateOfObject(
  object: SensitiveObject,
  trail: InstanceTrail,
  accesses: ReadonlyMap<string, number> | null,
): ObjectState {
  const { databaseName, schemaName, objectName } = object;
  const name = [databaseName, schemaName, objectName].filter((part) => part !== null).join('.');
  const known = trail.replay.ofObject(object, OBJECT_ACCESS);
  const accessMs = accesses?.get(objectKey(object));
  // Of some actions alone, an access shows nothing of the others.
  const lastMs =
    accessMs === undefined || trail.replay.mayBeOfActions(object, accessMs) ? undefined : accessMs;
  if (
    known?.is === 'configured' ||
    (known && accesses && !(lastMs !== undefined && lastMs > Date.parse(known.since) + 1))
  ) {
    const { is, since, by, recordId } = known;
    return { name, state: { group: OBJECT_ACCESS, state: is, since, by, recordId } };
  }
  return { name, state: { group: OBJECT_ACCESS, ...observedAt(lastMs, trail.replay) } };
}

function namesOf(states: readonly ObjectState[]): string {
  return listOf(states.map(({ name }) => name));
}

function listOf(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN;
  return more > 0 ? `${names.slice(0, NAMES_SHOWN).join(', ')} and ${more} more` : names.join(', ');
}

/** Whether only declared auditors changed audits and their specifications. */
export function judgeAuditors(trail: InstanceTrail, scopeOf: ScopeOf): Verdict {
  const { scope, auditChanges } = trail;
  const groups = [stateOfGroup(AUDIT_CHANGE, trail)];
  const strangers = auditChanges.filter(({ by }) => by !== null && !isNamed(by, scope.auditors));
  const whoOf = (changes: typeof auditChanges) =>
    listOf([...new Set(changes.map(({ by }) => by ?? 'somebody'))]);
  if (scope.auditors.length === 0) {
    const seen =
      auditChanges.length > 0 ? ` In 30 days, ${whoOf(auditChanges)} changed what is audited.` : '';
    return verdict('unknown', `No login is declared an auditor.${seen}`, {
      groups,
      recordIds: auditChanges.map(({ recordId }) => recordId),
    });
  }
  const [first] = strangers;
  if (first)
    return verdict(
      'fail',
      `${whoOf(strangers)} changed what is audited, and is no declared auditor; first at ${first.at}.`,
      { groups, since: first.at, recordIds: strangers.map(({ recordId }) => recordId) },
    );
  const nameless = auditChanges.filter(({ by }) => by === null);
  if (nameless[0])
    return verdict('unknown', `A change of what is audited states no login: at ${nameless[0].at}.`, {
      groups,
      recordIds: nameless.map(({ recordId }) => recordId),
    });
  const unread = unreadSentence(trail);
  if (unread !== null) return verdict('unknown', unread, { groups });
  const recorded = judgeGroups({ groups: [AUDIT_CHANGE] }, trail, scopeOf);
  if (recorded.status !== 'pass') return recorded;
  const what =
    auditChanges.length === 0
      ? 'Nobody changed what is audited in 30 days.'
      : `Only declared auditors changed what is audited in 30 days: ${whoOf(auditChanges)}.`;
  return {
    ...recorded,
    reason: what,
    recordIds: [...recorded.recordIds, ...auditChanges.map(({ recordId }) => recordId)],
  };
}

/** Whether only declared auditors read audit files on the server, and change what is audited. */
export async function judgeReaders(
  { verified }: Extract<Check, { kind: 'readers' }>,
  trail: InstanceTrail,
  scopeOf: ScopeOf,
): Promise<Verdict> {
  const { auditors } = trail.scope;
  const readers = await trail.readers();
  const nameOf = (login: string) => (login === '' ? 'a login that is not stated' : login);
  const strangers = readers?.filter((login) => !isNamed(login, auditors)) ?? [];
  if (auditors.length > 0 && strangers.length > 0) {
    const records = await trail.records(
      `${READS_OF_FILES} AND ${oneOfNames('serverPrincipalName', strangers)}`,
    );
    return verdict(
      'fail',
      `${listOf(strangers.map(nameOf))} read audit files on the server in 30 days, and is no declared auditor.`,
      { since: records.at(-1)?.at ?? null, recordIds: records.map(({ recordId }) => recordId) },
    );
  }
  if (readers === null && auditors.length > 0 && !auditors.includes('*')) {
    const many = 'more logins than can be counted read audit files on the server';
    if (auditors.length > LIMITS.complianceNamesAskedMax)
      return verdict('unknown', `In 30 days, ${many}, and more are declared than can be told apart.`);
    const records = await trail.records(`${READS_OF_FILES} AND ${noneOf('serverPrincipalName', auditors)}`);
    if (records.length > 0)
      return verdict('fail', `In 30 days, ${many}, also such as are no declared auditors.`, {
        since: records.at(-1)?.at ?? null,
        recordIds: records.map(({ recordId }) => recordId),
      });
  }
  const all = readers === null ? 'more logins than can be counted' : listOf(readers.map(nameOf));
  const read = all === '' ? '' : ` In 30 days, ${all} read audit files on it.`;
  if (verified && auditors.length === 0 && read !== '')
    return verdict('unknown', `No auditor is declared.${read}`);
  const changes = verified ? await judgeVerified(trail) : judgeAuditors(trail, scopeOf);
  if (changes.status !== 'pass') return { ...changes, reason: `${changes.reason}${read}` };
  const recorded = judgeGroups({ groups: [OBJECT_ACCESS] }, trail, scopeOf);
  if (recorded.status !== 'pass') return recorded;
  return {
    ...recorded,
    reason: `${changes.reason}${read || ' Nobody read audit files on the server.'}`,
    recordIds: changes.recordIds,
  };
}

/** The condition that a field has one of the names that a sentence shows; an empty name: it has none. */
function oneOfNames(field: FieldName, names: readonly string[]): string {
  const wanted = names
    .slice(0, NAMES_SHOWN)
    .map((name) => (name === '' ? `NOT ${field}:*` : `${field}:${inQuotes(name)}`));
  return `(${wanted.join(' OR ')})`;
}

/** The condition that a field has none of the declared names. */
function noneOf(field: FieldName, declared: readonly string[]): string {
  const names = declared.map((one) => (one.endsWith('*') ? `${inQuotes(one.slice(0, -1))}*` : inQuotes(one)));
  return `NOT ${field}~(${names.join(' OR ')})`;
}

/** Whether people and programs log on by declared applications only. */
export async function judgeApplications(trail: InstanceTrail, scopeOf: ScopeOf): Promise<Verdict> {
  const named = trail.scope.applications;
  const logons = await trail.logons();
  if (logons === null) return judgeManyApplications(trail, scopeOf);
  const seen = [...logons].sort(([, a], [, b]) => b - a);
  const nameOf = (application: string) =>
    application === '' ? 'an application without a name' : application;
  const shown = (some: typeof seen) =>
    listOf(some.map(([application, n]) => `${nameOf(application)} (${n})`));
  const groups = [stateOfGroup(LOGONS, trail)];
  if (named.length === 0) {
    const came = seen.length > 0 ? ` In 30 days, log-ons came from ${shown(seen)}.` : '';
    return verdict('unknown', `No application is declared.${came}`, { groups });
  }
  const others = seen.filter(([application]) => !isNamed(application, named));
  if (others.length > 0) {
    const names = others.map(([application]) => application);
    const records = await trail.records(`actionId:LGIS AND ${oneOfNames('applicationName', names)}`);
    return verdict('fail', `Log-ons came from applications that are not declared: ${shown(others)}.`, {
      groups,
      since: records.at(-1)?.at ?? null,
      recordIds: records.map(({ recordId }) => recordId),
    });
  }
  return allDeclared(trail, scopeOf);
}

function allDeclared(trail: InstanceTrail, scopeOf: ScopeOf): Verdict {
  const recorded = judgeGroups({ groups: [LOGONS] }, trail, scopeOf);
  if (recorded.status !== 'pass') return recorded;
  return { ...recorded, reason: 'Each log-on of 30 days came from a declared application.' };
}

/** The same where log-ons came from more applications than can be counted: the newest of the others tell. */
async function judgeManyApplications(trail: InstanceTrail, scopeOf: ScopeOf): Promise<Verdict> {
  const named = trail.scope.applications;
  const about = { groups: [stateOfGroup(LOGONS, trail)] };
  const came = 'log-ons came from more applications than can be counted';
  if (named.length === 0)
    return verdict('unknown', `No application is declared. In 30 days, ${came}.`, about);
  if (named.includes('*')) return allDeclared(trail, scopeOf);
  if (named.length > LIMITS.complianceNamesAskedMax)
    return verdict('unknown', `In 30 days, ${came}, and more are declared than can be told apart.`, about);
  const records = await trail.records(`actionId:LGIS AND ${noneOf('applicationName', named)}`);
  if (records.length === 0) return allDeclared(trail, scopeOf);
  return verdict(
    'fail',
    'Log-ons came from applications that are not declared, and from more applications than can be counted.',
    { ...about, since: records.at(-1)?.at ?? null, recordIds: records.map(({ recordId }) => recordId) },
  );
}
