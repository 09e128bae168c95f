import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { ACTION_NAMES } from '../../src/event/action-names';
import { EXPRESSION_FIELDS } from '../../src/event/expression/expression';
import { ROOT } from '../support/imports';

interface Control {
  readonly controlId: string;
  readonly title: string;
  readonly pass: string;
  readonly fail: string;
  readonly unknown: string;
  readonly maps?: Readonly<Record<string, readonly string[]>>;
  readonly check: Readonly<Record<string, unknown>> & { readonly kind: string };
}
interface Framework {
  readonly frameworkId: string;
  readonly title: string;
  readonly controls: readonly Control[];
}
interface Group {
  readonly scope: string;
  readonly writes: readonly {
    readonly actions: readonly string[];
    readonly classes?: readonly string[];
    readonly isInferred?: true;
  }[];
}

/** A link between two frameworks is written once, in the file of the one that comes first here. */
const ORDER = ['stig-2022', 'stig-2016', 'cis', 'pci-dss', 'hipaa', 'iso-27001', 'nist-800-53'];
/** What each kind of check has beside its kind. */
const PARTS_OF: Readonly<Record<string, readonly string[]>> = {
  groups: ['groups'],
  alerts: ['hours', 'about'],
  failures: [],
  clocks: [],
  retention: ['days'],
  'off-load': ['seconds'],
  sensitive: [],
  auditors: [],
  applications: [],
  readers: [],
  verified: [],
  'audit-runs': [],
  'starts-with-server': [],
  detail: ['fields', 'percent'],
  elsewhere: ['where'],
};
const SENTENCE_MAX = 200;

const FOLDER = path.join(ROOT, 'compliance');
const read = <T>(name: string) => parse(readFileSync(path.join(FOLDER, `${name}.yml`), 'utf8')) as T;
const frameworks = ORDER.map((id) => read<Framework>(id));
const { groups } = read<{ groups: Record<string, Group> }>('groups');

const controls = frameworks.flatMap((f) => f.controls.map((control) => ({ in: f.frameworkId, ...control })));
const groupsOf = (controlId: string) => {
  const named = controls.find((c) => c.controlId === controlId)?.check.groups as string[] | undefined;
  return [...(named ?? [])].sort();
};
const links = controls.flatMap((c) =>
  Object.entries(c.maps ?? {}).flatMap(([to, ids]) =>
    ids.map((id) => ({ from: c.in, to, id, text: `${c.controlId} → ${to} ${id}` })),
  ),
);

/** The groups of control 011800 of the STIG of 2022, by what their names have in common. */
const each = (start: string, ...ends: string[]) => ends.map((end) => `${start}${end}_GROUP`);
const CHANGES = [
  ...each('', 'APPLICATION_ROLE_CHANGE_PASSWORD', 'AUDIT_CHANGE', 'BACKUP_RESTORE', 'DBCC'),
  ...each('', 'LOGIN_CHANGE_PASSWORD', 'LOGOUT', 'TRACE_CHANGE', 'USER_CHANGE_PASSWORD'),
  ...each('DATABASE_', 'CHANGE', 'OPERATION', 'OWNERSHIP_CHANGE', 'PERMISSION_CHANGE', 'ROLE_MEMBER_CHANGE'),
  ...each('DATABASE_OBJECT_', 'ACCESS', 'CHANGE', 'OWNERSHIP_CHANGE', 'PERMISSION_CHANGE'),
  ...each('DATABASE_PRINCIPAL_', 'CHANGE', 'IMPERSONATION'),
  ...each('SCHEMA_OBJECT_', 'CHANGE', 'OWNERSHIP_CHANGE', 'PERMISSION_CHANGE'),
  ...each('SERVER_', 'OPERATION', 'PERMISSION_CHANGE', 'ROLE_MEMBER_CHANGE', 'STATE_CHANGE'),
  ...each('SERVER_OBJECT_', 'CHANGE', 'OWNERSHIP_CHANGE', 'PERMISSION_CHANGE'),
  ...each('SERVER_PRINCIPAL_', 'CHANGE', 'IMPERSONATION'),
].sort();
const ACCESS_AND_LOGONS = each('', 'FAILED_LOGIN', 'SUCCESSFUL_LOGIN', 'SCHEMA_OBJECT_ACCESS');

describe('the files of compliance', () => {
  it('are one for each framework, and the table of groups', () => {
    expect(readdirSync(FOLDER).filter((file) => file.endsWith('.yml'))).toEqual(
      [...ORDER, 'groups'].map((name) => `${name}.yml`).sort(),
    );
    expect(frameworks.map((f) => f.frameworkId)).toEqual(ORDER);
  });

  it('give each control an id that no control of any framework has too', () => {
    const ids = controls.map((c) => c.controlId);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(ids.filter((id) => typeof id !== 'string' || id.includes('/') || id !== id.trim())).toEqual([]);
  });

  it('give each control a check of a known kind, with what the kind needs', () => {
    for (const { check, controlId } of controls) {
      const { kind, outcomes, ...parts } = check;
      const further = kind === 'readers' && 'verified' in parts ? ['verified'] : [];
      expect([controlId, kind, Object.keys(parts)]).toEqual([
        controlId,
        kind,
        [...(PARTS_OF[kind] ?? []), ...further],
      ]);
      if (outcomes !== undefined)
        expect([controlId, kind, outcomes]).toEqual([controlId, 'groups', ['succeeded', 'failed']]);
    }
  });

  it('check groups of the table, each once, and fields of events', () => {
    for (const { check, controlId } of controls) {
      if (check.kind === 'groups') {
        const named = check.groups as string[];
        expect(named.length).toBeGreaterThan(0);
        expect([controlId, named.filter((name) => !Object.hasOwn(groups, name))]).toEqual([controlId, []]);
        expect([controlId, new Set(named).size]).toEqual([controlId, named.length]);
      }
      if (check.kind === 'detail') {
        const fields = check.fields as (typeof EXPRESSION_FIELDS)[number][];
        expect([controlId, fields.filter((field) => !EXPRESSION_FIELDS.includes(field))]).toEqual([
          controlId,
          [],
        ]);
        expect(check.percent).toBeGreaterThan(0);
        expect(check.percent).toBeLessThanOrEqual(100);
      }
    }
  });

  it('say the number by which a control is judged, in the words of what passes and what fails', () => {
    const WORDS: Readonly<Record<string, (n: number) => string | undefined>> = {
      hours: (n) => `${n} hours`,
      percent: (n) => `${n} %`,
      seconds: (n) => ({ 300: 'five minutes' })[n],
      days: (n) => ({ 365: 'twelve months' })[n],
    };
    const numbered = controls.flatMap(({ check, controlId, pass, fail }) =>
      Object.entries(check).flatMap(([part, n]) => {
        if (typeof n !== 'number') return [];
        const told = WORDS[part]?.(n) ?? 'nothing';
        return [
          {
            of: `${controlId}: ${part} ${n}`,
            isTold: fail.includes(told) && (part === 'hours' || pass.includes(told)),
          },
        ];
      }),
    );
    expect(new Set(numbered.map(({ of }) => of.split(' ').at(-2))).size).toBe(Object.keys(WORDS).length);
    expect(numbered.filter(({ isTold }) => !isTold)).toEqual([]);
  });

  it('say in one short sentence what passes, what fails, what stays unknown and where else to look', () => {
    const wrong = controls.flatMap(({ pass, fail, unknown, check, controlId }) =>
      [pass, fail, unknown, ...('where' in check ? [check.where as string] : [])]
        .filter((text) => !/^[A-Z][^\n]*[^.\s]\.$/.test(text) || text.length > SENTENCE_MAX)
        .map((text) => `${controlId}: ${text}`),
    );
    expect(wrong).toEqual([]);
  });

  it('have titles of one line, without a full stop', () => {
    const titles = [...frameworks, ...controls].map(({ title }) => title);
    expect(titles.filter((title) => !/^[A-Z].*[^.\s]$/.test(title) || title.length > 110)).toEqual([]);
  });

  it('have no other keys', () => {
    const keys = ['controlId', 'title', 'pass', 'fail', 'unknown', 'check'];
    for (const f of frameworks) {
      expect(Object.keys(f)).toEqual(['frameworkId', 'title', 'controls']);
      for (const { maps: _, ...control } of f.controls) expect(Object.keys(control)).toEqual(keys);
    }
  });
});

describe('the links between frameworks', () => {
  it('lead to controls that exist, in a framework that comes later: each is written once', () => {
    const exists = new Set(controls.map((c) => `${c.in} ${c.controlId}`));
    expect(links.filter(({ to, id }) => !exists.has(`${to} ${id}`)).map(({ text }) => text)).toEqual([]);
    const back = links.filter(({ from, to }) => ORDER.indexOf(to) <= ORDER.indexOf(from));
    expect(back.map(({ text }) => text)).toEqual([]);
    expect(new Set(links.map(({ text }) => text)).size).toBe(links.length);
  });

  it('tie every control to NIST 800-53', () => {
    const alone = controls.filter((c) => c.in !== 'nist-800-53' && !c.maps?.['nist-800-53']?.length);
    expect(alone.map((c) => c.controlId)).toEqual([]);
  });
});

describe('the groups of the STIGs', () => {
  it('are 31 in 011800 of 2022', () => {
    expect(CHANGES).toHaveLength(31);
    expect(groupsOf('SQLI-22-011800')).toEqual(CHANGES);
  });

  it('are these and three more in 014900 and 015000 of 2016', () => {
    const all = [...CHANGES, ...ACCESS_AND_LOGONS].sort();
    expect(all).toHaveLength(34);
    for (const id of ['SQL6-D0-014900', 'SQL6-D0-015000']) expect(groupsOf(id)).toEqual(all);
  });

  it('are fewer in 015100 and others in 011800 of 2016', () => {
    const without = (...ends: string[]) => CHANGES.filter((name) => !each('', ...ends).includes(name));
    expect(groupsOf('SQL6-D0-015100')).toEqual(without('DATABASE_OBJECT_ACCESS'));
    expect(groupsOf('SQL6-D0-011800')).toEqual(
      without('LOGOUT', 'SERVER_PRINCIPAL_CHANGE', 'USER_CHANGE_PASSWORD'),
    );
  });
});

describe('the table of groups', () => {
  const written = Object.entries(groups).flatMap(([group, { writes }]) =>
    writes.flatMap(({ actions, classes = ['*'] }) =>
      actions.flatMap((action) => classes.map((type) => ({ group, code: `${action} ${type}` }))),
    ),
  );

  it('has 46 groups, with known scopes, codes and classes', () => {
    expect(Object.keys(groups)).toHaveLength(46);
    for (const [name, { scope, writes, ...rest }] of Object.entries(groups)) {
      expect(name).toMatch(/^[A-Z_]+_GROUP$/);
      expect(Object.values(ACTION_NAMES)).toContain(name);
      expect(['server', 'database', 'both']).toContain(scope);
      expect(rest).toEqual({});
      for (const { actions, classes, isInferred, ...others } of writes) {
        expect(others).toEqual({});
        expect(actions.filter((code) => !Object.hasOwn(ACTION_NAMES, code))).toEqual([]);
        expect((classes ?? ['A']).filter((type) => !/^[A-Z]{1,2}$/.test(type))).toEqual([]);
        expect([undefined, true]).toContain(isInferred);
      }
    }
  });

  it('lets no event prove two groups, but for master keys of the server and of a database', () => {
    const twice = written.filter(({ group, code }) => {
      const [action] = code.split(' ');
      return written.some((w) => w.group !== group && [code, `${action} *`].includes(w.code));
    });
    expect([...new Set(twice.map(({ code }) => code))].sort()).toEqual(['AL MK', 'BA MK', 'RS MK']);
  });

  it('gives AUSC to no group: SQL Server writes it whatever the groups', () => {
    expect(written.filter(({ code }) => code.startsWith('AUSC'))).toEqual([]);
  });
});
