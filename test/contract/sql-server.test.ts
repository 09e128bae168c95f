import { auditStatementsOf } from '../../src/modules/compliance/audit-statement';
import { shippedFrameworks } from '../../src/modules/compliance/frameworks';
import { blocksOf } from '../support/documents';

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
