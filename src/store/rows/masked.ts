import type { Call } from '../../caller/call';
import type { Masks } from '../../caller/principal';
import { ENTRY_SALT, type JsonScalar } from '../../event/audit-record';
import { AUDIT_EVENT_FIELDS, isLifted, STATEMENT_PREVIEW } from '../../event/fields';
import { MARK } from '../../event/marks';
import { maskLiterals } from '../../tsql/mask';

/** The operation in the access log under which literals left that others do not see. */
export const UNMASK_OPERATION = 'unmaskStatements';

/** An event, or an item of a list. */
type Shown = {
  readonly tenantId: string;
  readonly statement?: string | null;
  readonly statementPreview?: string | null;
  readonly additional?: Readonly<Record<string, JsonScalar>>;
};

/**
 * The events of one answer, as its caller may see them. Every event that leaves the service to a caller goes through
 * here. Where a caller sees literals that the tenant masks for others, the answer leaves an entry in the access log.
 */
export class ShownEvents {
  #isNoted = false;
  #masks: Masks;

  constructor(
    private readonly call: Masks & Pick<Call, 'masksNow' | 'note'>,
    private readonly operation: string,
  ) {
    this.#masks = call;
  }

  /** Asks anew what is masked, because an answer may take long. */
  async look(): Promise<Masks> {
    if (this.call.masksNow) this.#masks = await this.call.masksNow();
    return this.#masks;
  }

  /** Whether all events leave as they are, and nothing is noted. */
  get isAll(): boolean {
    const { masked, unmasked } = this.#masks;
    return (masked?.size ?? 0) + (unmasked?.size ?? 0) === 0;
  }

  all<E extends Shown>(events: readonly E[]): readonly E[] {
    if (this.isAll) return events;
    return events.map((event) => this.one(event));
  }

  one<E extends Shown>(event: E): E {
    const { masked, unmasked } = this.#masks;
    if (masked?.has(event.tenantId)) return maskedEvent(event);
    if (unmasked?.has(event.tenantId)) this.#note();
    return event;
  }

  #note(): void {
    if (this.#isNoted) return;
    this.#isNoted = true;
    const parameters = { operation: this.operation };
    this.call.note({ operation: UNMASK_OPERATION, parameters, outcome: 'ok', rows: null });
  }
}

/**
 * An event without the literals of its statement. Of a large statement, only its beginning is there. Evidence and
 * proofs are of the event as it is stored.
 */
export const maskedEvent = <E extends Shown>(event: E): E => ({
  ...event,
  ...(typeof event.statement === 'string' && { statement: maskedStatement(event.statement) }),
  ...(typeof event.statementPreview === 'string' && {
    [STATEMENT_PREVIEW.name]: maskedStatement(event.statementPreview),
  }),
  ...(event.additional && { additional: maskedAdditional(event.additional) }),
});

function maskedStatement(statement: string): string {
  const mark = statement.indexOf(MARK);
  return maskLiterals(mark < 0 ? statement : statement.slice(0, mark));
}

/**
 * Values of the record that are free text and may repeat a statement, and the salt: with it and the hash of a proof,
 * somebody could try what a literal was.
 */
const HIDDEN_TEXTS = ['additionalInformation', 'userDefinedInformation', ENTRY_SALT];
const HIDDEN = '…';
/** What begins a literal or a comment. Numbers alone are values of the record. */
const MAY_HOLD_LITERALS = /['"]|--|\/\*/;

const maskedAdditional = (additional: Readonly<Record<string, JsonScalar>>) =>
  Object.fromEntries(
    Object.entries(additional).map(([name, value]) => {
      if (typeof value !== 'string' || value === '') return [name, value];
      if (HIDDEN_TEXTS.includes(name)) return [name, HIDDEN];
      return [name, MAY_HOLD_LITERALS.test(value) ? maskLiterals(value) : value];
    }),
  );

/** Fields of rules that repeat free texts of the record. */
const WHOLE_RECORDS = /^(?:Data|Message)$|(?:^|\.)(?:additional|user_?defined)_?information$/i;

/** The values that findings share, without literals: a rule may group by texts of statements. */
export const maskedGroup = (group: object): object =>
  Object.fromEntries(
    Object.entries(group).map(([name, value]) => {
      const isName = isLifted(name) || (name !== 'statement' && Object.hasOwn(AUDIT_EVENT_FIELDS, name));
      if (isName || typeof value !== 'string') return [name, value];
      return [name, WHOLE_RECORDS.test(name) ? HIDDEN : maskLiterals(value)];
    }),
  );
