import { formatTicks, TICKS_PER_MS } from '../../../src/event/event-time';
import { splitRow } from '../../agent/sqlaudit/support/parts';
import type { Row } from '../../agent/sqlaudit/support/sqlaudit-writer';
import type { Random } from './random';

/** One row of an audit file. */
export interface WrittenRow {
  /** Number of the row's audit record among those of the audit. */
  readonly record: number;
  readonly row: Row;
}

/** The time of SQL Server's clock, in units of 100 ns; never the same twice. */
export class ServerClock {
  private ticks = 0n;

  constructor(private readonly random: Random) {}

  next(): bigint {
    const now = BigInt(Date.now()) * TICKS_PER_MS;
    const later = this.ticks + BigInt(this.random.whole(1, 30_000));
    this.ticks = now > later ? now : later;
    return this.ticks;
  }
}

const PART_CHARS = 4000;
const SESSIONS = [51, 52, 63];

type Texts = Readonly<Record<'statement' | 'additional_information', string>>;
const SHORT = (): Texts => ({ statement: 'SELECT 1', additional_information: '' });

/** The rows that the sessions of a server audit write, with interleaved split records. */
export class SessionRows {
  private readonly waiting = new Map<number, WrittenRow[]>(SESSIONS.map((session) => [session, []]));
  /** Sessions whose last row was full. */
  private readonly open = new Set<number>();
  private records = 0;

  constructor(
    private readonly random: Random,
    private readonly clock: ServerClock,
    /** SQL Server 2017 has no column for them. */
    private readonly hasHostNames: boolean,
  ) {}

  next(): WrittenRow {
    return this.of(this.random.pick(SESSIONS), () => this.texts());
  }

  /** The server has died: rows that were not written are lost. */
  crash(): void {
    for (const session of SESSIONS) this.waiting.set(session, []);
  }

  /** Ends every record that has begun, and writes a short one in each session, so that no reader waits for more. */
  *rest(): Generator<WrittenRow> {
    for (const session of SESSIONS) {
      do {
        yield this.of(session, SHORT);
      } while ((this.waiting.get(session)?.length ?? 0) > 0 || this.open.has(session));
      yield this.of(session, SHORT);
    }
  }

  private of(session: number, texts: () => Texts): WrittenRow {
    let rows = this.waiting.get(session) ?? [];
    if (rows.length === 0) rows = this.record(session, texts());
    const [next, ...others] = rows;
    if (!next) throw new Error('a record has a row');
    this.waiting.set(session, others);
    if (isFull(next.row)) this.open.add(session);
    else this.open.delete(session);
    return next;
  }

  private record(session: number, texts: Texts): WrittenRow[] {
    const { random } = this;
    const record = this.records++;
    const row: Row = {
      event_time: formatTicks(this.clock.next()),
      session_id: session,
      action_id: random.pick(['SL', 'IN', 'UP', 'DL', 'EX', 'LGIS']),
      class_type: random.pick(['U', 'V', 'P']),
      succeeded: random.chance(0.9),
      object_id: random.whole(1, 1_000_000),
      transaction_id: BigInt(random.whole(1, 2 ** 48)) * 2n ** 12n,
      affected_rows: random.whole(0, 1000),
      sequence_group_id: random.guid(),
      server_instance_name: 'SQL01\\AUDITED',
      database_name: random.pick(['Payroll', 'Crédit', '顧客']),
      schema_name: 'dbo',
      object_name: `t_${record}`,
      server_principal_name: random.pick(['CORP\\alice', 'sa', 'CORP\\dba-éric']),
      database_principal_name: random.pick(['dbo', '']),
      application_name: random.pick(['PayrollWeb', '']),
      host_name: this.hasHostNames ? random.pick(['APP01', '']) : '',
      client_ip: random.pick(['10.0.0.7', 'local machine', '']),
      ...texts,
    };
    return splitRow(row).map((part) => ({ record, row: part }));
  }

  private texts(): Texts {
    const { random } = this;
    const additional_information = random.chance(0.05) ? this.text(random.whole(4001, 6000)) : '';
    return { additional_information, statement: this.statement() };
  }

  private statement(): string {
    const { random } = this;
    return random.weighted([
      [2, () => ''],
      [12, () => this.text(random.whole(1, 200))],
      [2, () => this.text(random.whole(3990, 12_100))],
      [0.5, () => this.text(PART_CHARS * random.whole(1, 2))],
    ]);
  }

  /** A text of this many UTF-16 units, some of them halves of a surrogate pair. */
  private text(chars: number): string {
    const shift = this.random.pick(['', ' ']);
    const piece = `SELECT 😀 FROM dbo.[顧客] WHERE Id = ${this.random.whole(0, 1e9)} -- `;
    return (shift + piece.repeat(Math.ceil(chars / piece.length))).slice(0, chars);
  }
}

/** Whether a text is full, so that a reader cannot tell whether the record ends there. */
export const isFull = ({ statement, additional_information }: Row): boolean =>
  [statement, additional_information].some((text) => String(text).length >= PART_CHARS);
