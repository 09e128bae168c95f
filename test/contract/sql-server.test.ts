import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { auditStatementsOf } from '../../src/modules/compliance/audit-statement';
import { groupsThatWrite, shippedFrameworks } from '../../src/modules/compliance/frameworks';
import { needsOf } from '../../src/modules/detection/rules/sight';
import { LocalReader } from '../../src/rules/rule-reader';
import { blocksOf, namesIn, tableOf } from '../support/documents';
import { ROOT } from '../support/imports';

const statements = blocksOf('docs/sql-server.md', 'sql').flatMap(auditStatementsOf);
const specification = (name: string) => {
  const found = statements.find((s) => s.of === 'server' && s.name === name);
  if (!found) throw new Error(`docs/sql-server.md has no specification ${name}`);
  return found;
};

describe('the statements of docs/sql-server.md', () => {
  it.each(['AuditActivitySmall', 'AuditActivityFull'])(
    '%s is switched on and for the audit of the page',
    (name) => {
      const { verb, audit, state } = specification(name);
      expect({ verb, audit, state }).toEqual({ verb: 'create', audit: 'AuditActivity', state: 'on' });
      expect(statements.filter((s) => s.of === 'audit').map((s) => [s.verb, s.name, s.state])).toEqual([
        ['create', 'AuditActivity', null],
        ['alter', 'AuditActivity', 'on'],
      ]);
    },
  );

  it.each(['AuditActivitySmall', 'AuditActivityFull'])('%s names groups that exist, each once', (name) => {
    const { adds } = specification(name);
    expect(adds.length).toBeGreaterThan(15);
    expect(adds.filter((group) => !shippedFrameworks().groups.has(group))).toEqual([]);
    expect(new Set(adds).size).toBe(adds.length);
  });

  it('has in the full specification all of the small one, and every group that a control asks for', () => {
    const full = new Set(specification('AuditActivityFull').adds);
    const asked = shippedFrameworks().frameworks.flatMap((f) =>
      f.controls.flatMap(({ check }) => (check.kind === 'groups' ? check.groups : [])),
    );
    const wanted = [...new Set([...asked, ...specification('AuditActivitySmall').adds])];
    expect(wanted.filter((group) => !full.has(group))).toEqual([]);
  });
});

describe('the table of what rules need', () => {
  it('has each group with the rules that need it', async () => {
    const reader = new LocalReader();
    const wanted = new Map<string, Set<number>>();
    for (const name of readdirSync(path.join(ROOT, 'rules'))) {
      const { rules } = await reader.read(readFileSync(path.join(ROOT, 'rules', name), 'utf8'));
      for (const rule of rules)
        for (const { ways } of needsOf(rule, { groupsThatWrite }))
          for (const [group, ...others] of ways)
            if (group && others.length === 0)
              wanted.set(group, (wanted.get(group) ?? new Set()).add(Number(name.slice(0, 2))));
    }
    const rows = [...wanted]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([group, numbers]) => [group, [...numbers].sort((a, b) => a - b).join(', ')]);
    const table = tableOf('docs/sql-server.md', 'Group | Rules');

    expect(table.map(([group, numbers]) => [...namesIn(group), numbers])).toEqual(rows);
  });
});
