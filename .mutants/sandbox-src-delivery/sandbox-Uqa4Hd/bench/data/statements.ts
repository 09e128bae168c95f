import { type Random, Weighted } from './random';

/** A statement without its literals: JSON-escaped texts, between which the literals go. */
interface Shape {
  readonly texts: readonly string[];
  readonly literals: readonly Literal[];
  readonly table: string;
}
type Literal = keyof typeof LITERALS;

const TABLES =
  'Customers Orders OrderLines Invoices InvoiceLines Payments Products Stock Suppliers Shipments Employees Salaries Contracts Projects Timesheets Tickets Accounts Ledger Budgets Audits Sessions Permissions Documents Reports Contacts Addresses Regions Warehouses Returns Discounts Prices Currencies Taxes Assets Leases Vehicles Trips Claims Policies Agents Patients Visits Prescriptions Devices Readings Alerts Jobs Queues Batches Exports'.split(
    ' ',
  );
const COLUMNS =
  'Id Name Code Status Amount Total CreatedAt UpdatedAt OwnerId CustomerId Region Currency Quantity Price Note Reference DueDate Email Phone Version IsActive Priority Category Balance'.split(
    ' ',
  );
const SYLLABLES = 'ba den fel gar hul is kor lam mon nor pel qui ras sten tor ul ver wick yar zen'.split(' ');

/** Family names, a few of them common and most rare: the words of a search for a person. */
const FAMILIES = Array.from({ length: 4_000 }, (_, n) => {
  const syllable = (at: number) => SYLLABLES[Math.floor(n / 20 ** at) % 20] ?? '';
  const name = syllable(0) + syllable(1) + syllable(2) + (n % 7 === 0 ? 'son' : '');
  return name.charAt(0).toUpperCase() + name.slice(1);
});
const BY_FAMILY = Weighted.skewed(FAMILIES.length, 1);
/** Words for the search bench: one in most events, one in some, one in few. */
export const WORDS = {
  common: 'select',
  some: 'invoices',
  rare: (FAMILIES[900] ?? '').toLowerCase(),
} as const;

const LITERALS = {
  number: (random: Random) => String(random.below(5_000_000)),
  money: (random: Random) => `${random.below(90_000)}.${10 + random.below(90)}`,
  family: (random: Random) => `N'${FAMILIES[BY_FAMILY.pick(random)]}'`,
  date: (random: Random) => `'2025-${10 + random.below(3)}-${10 + random.below(19)}'`,
  status: (random: Random) => `'${random.pick(['open', 'closed', 'paid', 'void', 'hold'])}'`,
  reference: (random: Random) =>
    `'${(random.below(4e9) + 1e9).toString(36)}-${random.below(1e6).toString(36)}'`,
};
const KINDS = Object.keys(LITERALS) as Literal[];

const SHAPES_PER_KIND = 40;

/** The statements that applications of one tenant run: a few often, many seldom. */
export class Statements {
  readonly #shapes: Readonly<Record<string, readonly Shape[]>>;
  readonly #frequency = Weighted.skewed(SHAPES_PER_KIND, 0.9);

  constructor(random: Random) {
    const of = (make: (random: Random, table: string) => string) =>
      Array.from({ length: SHAPES_PER_KIND }, () => shapeOf(random, make));
    this.#shapes = {
      SL: of(select),
      IN: of(insert),
      UP: of(update),
      DL: of(remove),
      EX: of(run),
      DDL: of(define),
    };
  }

  /** A statement, JSON-escaped, and the object it is about. */
  of(kind: string, random: Random): { text: string; table: string } {
    const shapes = this.#shapes[kind] ?? this.#shapes.DDL ?? [];
    const shape = shapes[this.#frequency.pick(random)];
    if (!shape) throw new Error(`no statements of kind ${kind}`);
    let text = shape.texts[0] ?? '';
    for (let i = 0; i < shape.literals.length; i++) {
      text += LITERALS[shape.literals[i] ?? 'number'](random) + shape.texts[i + 1];
    }
    return { text, table: shape.table };
  }
}

/** @param make a statement with a `?` where a literal stands */
function shapeOf(random: Random, make: (random: Random, table: string) => string): Shape {
  const table = random.pick(TABLES);
  const texts = make(random, table)
    .split('?')
    .map((text) => JSON.stringify(text).slice(1, -1));
  return { texts, literals: texts.slice(1).map(() => random.pick(KINDS)), table };
}

const columns = (random: Random, count: number, alias = '') =>
  Array.from({ length: count }, () => `${alias}[${random.pick(COLUMNS)}]`);
const conditions = (random: Random, count: number, alias = '') =>
  columns(random, count, alias)
    .map((column) => `${column} ${random.pick(['=', '=', '>=', '<'])} ?`)
    .join(' AND ');

function select(random: Random, table: string): string {
  const other = random.pick(TABLES);
  const list = columns(random, 4 + random.below(6), 'a.').join(', ');
  const join = random.next() < 0.5 ? ` INNER JOIN [dbo].[${other}] AS b ON b.[Id] = a.[${other}Id]` : '';
  const order = random.next() < 0.4 ? `\r\nORDER BY a.[${random.pick(COLUMNS)}] DESC` : '';
  return `SELECT ${list}\r\nFROM [dbo].[${table}] AS a${join}\r\nWHERE ${conditions(random, 2 + random.below(3), 'a.')}${order}`;
}
function insert(random: Random, table: string): string {
  const list = columns(random, 4 + random.below(4));
  return `INSERT INTO [dbo].[${table}] (${list.join(', ')}) VALUES (${list.map(() => '?').join(', ')})`;
}
function update(random: Random, table: string): string {
  const set = columns(random, 2 + random.below(4)).map((column) => `${column} = ?`);
  return `UPDATE [dbo].[${table}] SET ${set.join(', ')}, [UpdatedAt] = SYSUTCDATETIME() WHERE ${conditions(random, 2)}`;
}
const remove = (random: Random, table: string) =>
  `DELETE FROM [dbo].[${table}] WHERE ${conditions(random, 2)}`;
const run = (random: Random, table: string) =>
  `EXEC [dbo].[usp_${table}_${random.pick(['Get', 'Post', 'Close', 'Report'])}] @Id = ?, @From = ?, @Owner = ?, @Mode = ?`;
const define = (random: Random, table: string) =>
  `ALTER TABLE [dbo].[${table}] ADD [${random.pick(COLUMNS)}${random.below(90)}] nvarchar(200) NULL /* change ? */`;
