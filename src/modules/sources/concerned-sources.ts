import { type Expression, equals, type FieldTerm, termsOf } from '../../event/expression/expression';
import { LIMITS } from '../../limits';

/** The machine of an agent. */
export interface SourceHost {
  readonly tenantId: number;
  readonly hostName: string;
}

/** The longest name that SQL Server states of its machine. */
const MACHINE_CHARS_MAX = 15;

/** What an agent reports of a database that it reads. */
interface ReportedSource {
  readonly tenantId: string;
  readonly hostName: string;
  readonly state: string;
  readonly lastEventTime: string | null;
  readonly completeThrough: string | null;
  readonly lastReported: string;
}

/**
 * The sources that may have the events of a server instance; null: any of them may. The host that bears its name has
 * them, unless its sources show that they lack the newest event: then the instance runs on another host by now.
 * @param newestMs the time of the newest event of the instance
 */
export function sourcesOfInstance<S extends ReportedSource>(
  instance: string,
  sources: readonly S[],
  newestMs: number,
): readonly S[] | null {
  const hosts = sources.map((source) => ({ ...source, tenantId: Number(source.tenantId), source }));
  const own = concernedHosts(equals('serverInstanceName', instance), hosts);
  if (own === null || own.every((source) => lacks(source, newestMs))) return null;
  return own.map(({ source }) => source);
}

/** Whether an event cannot be of a source: it is not the newest one there, and its time has passed there for good. */
function lacks(
  { state, lastEventTime, completeThrough, lastReported }: Omit<ReportedSource, 'tenantId'>,
  eventMs: number,
): boolean {
  if (lastEventTime !== null && Date.parse(lastEventTime) >= eventMs) return false;
  const isOver = state === 'stale' || state === 'retired';
  const until = isOver ? eventMs - Date.parse(lastReported) : Date.parse(completeThrough ?? '') - eventMs;
  return until > LIMITS.trailBehindMs;
}

/** Whether a filter says anything of the hosts that its events come from. */
export const namesHosts = (filter: Expression): boolean =>
  termsOf(filter).some((term) => term.kind === 'field' && isKnown(term));

/**
 * The hosts whose sources may have events that a filter lets through, as far as it names tenants and server instances.
 * Null: all. An instance bears the name of its machine, unless it is clustered or its agent runs elsewhere: where no
 * host bears the name, any may have its events.
 */
export function concernedHosts<H extends SourceHost>(
  filter: Expression,
  hosts: readonly H[],
): readonly H[] | null {
  const concerned = hosts.filter((host) => outcomeOf(filter, host) !== false);
  return concerned.length === 0 || concerned.length === hosts.length ? null : concerned;
}

const isKnown = ({ field }: FieldTerm): boolean => field === 'serverInstanceName' || field === 'tenantId';

/** Whether the filter lets each event of a host through, or none; null: that depends on the event. */
function outcomeOf(filter: Expression, host: SourceHost): boolean | null {
  switch (filter.kind) {
    case 'not': {
      const inner = outcomeOf(filter.of, host);
      return inner === null ? null : !inner;
    }
    case 'and':
    case 'or': {
      const decides = filter.kind === 'or';
      const outcomes = filter.of.map((part) => outcomeOf(part, host));
      if (outcomes.includes(decides)) return decides;
      return outcomes.includes(null) ? null : !decides;
    }
    case 'words':
      return null;
    case 'field':
      if (filter.field === 'tenantId') return isOfTenant(filter, host);
      return filter.field === 'serverInstanceName' && !mayBear(filter, host) ? false : null;
  }
}

function isOfTenant({ how, text }: FieldTerm, { tenantId }: SourceHost): boolean {
  if (how === 'equals') return String(tenantId) === text;
  return how === 'begins' ? String(tenantId).startsWith(text) : true;
}

/** Whether an instance on the host may have such a name: `SQL01`, or `SQL01\PAYROLL`. */
function mayBear({ how, text }: FieldTerm, { hostName }: SourceHost): boolean {
  if (how === 'present') return true;
  const [machine = ''] = hostName.toUpperCase().split('.');
  const names = [machine, machine.slice(0, MACHINE_CHARS_MAX)];
  const [wanted = ''] = text.toUpperCase().split('\\');
  const isWhole = how === 'equals' || text.includes('\\');
  return names.some((name) => (isWhole ? name === wanted : name.startsWith(wanted)));
}
