import fc from 'fast-check';
import type { Gap } from '../../../agent/gaps/gap';
import { AuditFolder, timeOf } from './support';

/** How many files of the audit SQL Server keeps. */
const FILES_KEPT = 2;

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ write: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.constant('rollOver' as const) },
  // The agent runs, and is killed after this number of batches.
  { weight: 2, arbitrary: fc.record({ batches: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.constant('catchUp' as const) },
);

/** What SQL Server wrote, file by file. */
class Writer {
  private readonly files: number[][] = [[]];
  written = 0;

  constructor(private readonly audit: AuditFolder) {}

  append(count: number): void {
    const last = this.files.at(-1) ?? [];
    for (let i = 0; i < count; i++) last.push(this.written++);
    this.audit.write(this.files.length - 1, last);
  }

  /** Begins a new file with the record for which the previous file had no room. */
  rollOver(): void {
    this.files.push([]);
    this.append(1);
    const oldest = this.files.length - 1 - FILES_KEPT;
    const isThere = oldest >= 0 && this.audit.has(oldest);
    if (isThere) this.audit.delete(oldest);
  }
}

const isWithin = (gap: Gap, n: number): boolean =>
  (gap.afterTime ?? '') < timeOf(n) && timeOf(n) < (gap.beforeTime ?? '9999');

it('every record is published or lies in a gap, whatever SQL Server removes and whenever the agent is down', async () => {
  const check = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
    const audit = new AuditFolder();
    try {
      const writer = new Writer(audit);
      writer.append(1);
      for (const each of steps) {
        if (each === 'rollOver') writer.rollOver();
        else if (each === 'catchUp') await audit.once();
        else if ('write' in each) writer.append(each.write);
        else await audit.once(each.batches);
      }
      // Records that were gone before the agent's first look do not count.
      const first = Math.min(...audit.delivered.map(numberOf), Number.POSITIVE_INFINITY);
      writer.append(1);
      await audit.once();
      const delivered = new Set(audit.delivered.map(numberOf));
      for (let n = 0; n < writer.written; n++) {
        if (n < first || delivered.has(n)) continue;
        expect({ n, gaps: audit.gaps.filter((gap) => isWithin(gap, n)).length > 0 }).toEqual({
          n,
          gaps: true,
        });
      }
      for (const gap of audit.gaps)
        expect([gap, tellsTruth(gap, delivered, writer.written)]).toEqual([gap, true]);
    } finally {
      audit.remove();
    }
  });
  await fc.assert(check, { numRuns: 100 });
});

const numberOf = (statement: string): number => Number(statement.slice('SELECT '.length));

/** Each gap holds a lost record, unless it says "if anything" because the agent cannot know. */
function tellsTruth(gap: Gap, delivered: ReadonlySet<number>, written: number): boolean {
  const within = Array.from({ length: written }, (_, n) => n).filter((n) => isWithin(gap, n));
  return gap.detail.includes('if anything') || within.some((n) => !delivered.has(n));
}
