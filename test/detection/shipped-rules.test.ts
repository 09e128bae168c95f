import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../src/rules/engine';
import { failedTests, testEvents } from '../../src/rules/rule-test';
import { parseRules } from '../../src/rules/sigma/rule-file';

const FOLDER = path.join(__dirname, '../../rules');
const FILES = readdirSync(FOLDER);

describe('the shipped rules', () => {
  it('are forty-nine files', () => {
    expect(FILES.map((name) => Number(name.slice(0, 2)))).toEqual(
      Array.from({ length: 49 }, (_, i) => i + 1),
    );
  });

  it.each(FILES)('%s finds what its tests say and nothing else', (name) => {
    const rules = parseRules(readFileSync(path.join(FOLDER, name), 'utf8'));
    for (const rule of rules) {
      expect({ title: rule.title, failed: failedTests(rule) }).toEqual({ title: rule.title, failed: [] });
      expect(rule.tests.some(({ finds }) => !finds)).toBe(true);
      expect(rule.tests.some(({ finds }) => finds)).toBe(!name.startsWith('40'));
      expect(rule.description).not.toBe('');
      expect(rule.why).not.toBe('');
      expect(rule.falsePositives).not.toEqual([]);
      expect(rule.tags.filter((tag) => /^attack\.t\d{4}(\.\d{3})?$/.test(tag))).not.toEqual([]);
    }
  });

  it('have distinct ids', () => {
    const ids = FILES.flatMap((name) => parseRules(readFileSync(path.join(FOLDER, name), 'utf8'))).map(
      ({ ruleId }) => ruleId,
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('findings about roles', () => {
  const added = (objectName: string, member: string, by: string, classType: string) => ({
    actionId: 'APRL',
    objectName,
    serverPrincipalName: by,
    statement: `ALTER ROLE ${objectName} ADD MEMBER [${member}]`,
    additional: {
      classType,
      [classType === 'SG' ? 'targetServerPrincipalName' : 'targetDatabasePrincipalName']: member,
    },
  });
  const membersOf = (file: string, role: string, classType: string) => {
    const [rule] = parseRules(readFileSync(path.join(FOLDER, file), 'utf8'));
    if (!rule) throw new Error(`${file} has no rule`);
    const events = [
      added(role, 'CORP\\j.ortega', 'CORP\\dba.ali', classType),
      added(role, 'eve', 'CORP\\dba.ali', classType),
      added(role, 'EVE', 'corp\\DBA.ALI', classType),
    ];
    const made = testEvents({ name: 'roles', finds: true, events });
    const groups = new Engine(1, [{ rule, version: 1 }]).evaluate(made, 0).map(({ groupKey }) => groupKey);
    return new Set(groups).size;
  };

  it.each([
    ['10-server-role-granted.yml', 'sysadmin', 'SG'],
    ['11-database-role-granted.yml', 'db_owner', 'RL'],
    ['41-role-of-your-own-granted.yml', 'operators', 'SG'],
  ])('of %s are grouped by member and role', (file, role, classType) => {
    expect(membersOf(file, role, classType)).toBe(2);
  });
});
