import { RuleAbouts } from '../../src/modules/detection/rules/rule-abouts';
import { LocalReader, type Reading } from '../../src/rules/rule-reader';

const ruleOf = (n: number) => `title: Rule ${n}
id: 00000000-0000-4000-8000-00000000000${n}
status: stable
description: An action.
logsource:
  product: mssql
  service: audit
detection:
  selection:
    actionId: 'A${n}'
  condition: selection
level: low
`;
const SOURCE = [1, 2, 3].map(ruleOf).join('---\n');
const idOf = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

/** A reader that notes what it was asked for. */
class NotingReader extends LocalReader {
  readonly asked: (string | undefined)[] = [];

  override read(source: string, reading?: Reading) {
    this.asked.push(reading?.tuned?.ruleId);
    return super.read(source, reading);
  }
}

describe('what rules say', () => {
  const reader = new NotingReader();
  const abouts = new RuleAbouts(reader);
  const ask = (n: number, tuning: string | null = null, filters: readonly string[] = []) =>
    abouts.of({ ruleId: idOf(n), source: SOURCE, tuning }, filters);

  it('is read once for all rules of a file that nobody has tuned', async () => {
    for (const n of [2, 1, 3, 2]) expect((await ask(n))?.title).toBe(`Rule ${n}`);
    expect(await ask(9)).toBeNull();
    expect(await ask(9)).toBeNull();
    expect(reader.asked).toEqual([2, 9].map(idOf));
  });

  it('is read for a tuned rule alone, since its tuning is not that of the others', async () => {
    reader.asked.length = 0;
    const other = new RuleAbouts(reader);
    const tuning = JSON.stringify({ exceptions: [{ objectName: 'Salaries' }] });
    for (const n of [1, 2]) await other.of({ ruleId: idOf(n), source: SOURCE, tuning }, []);
    expect(reader.asked).toEqual([1, 2].map(idOf));
    await other.of({ ruleId: idOf(1), source: SOURCE, tuning: null }, []);
    expect(reader.asked).toEqual([1, 2, 1].map(idOf));
  });

  it('is read anew under other filters', async () => {
    reader.asked.length = 0;
    await ask(1, null, ['title: none']);
    await ask(2, null, ['title: none']);
    expect(reader.asked).toEqual([1].map(idOf));
  });
});
