import { ENTITY } from '../../dashboard/src/entity/texts';
import { COMMAND_TEXTS } from '../../dashboard/src/lib/command-texts';
import {
  COMMAND_IDS,
  commandOf,
  commandOfKey,
  GO,
  keyGroups,
  letterOf,
} from '../../dashboard/src/lib/commands';
import { type Entry, entriesOf, type Offered } from '../../dashboard/src/palette/entries';
import { PALETTE } from '../../dashboard/src/palette/texts';

const PAGES = Object.keys(GO).map((path) => ({ path, title: path === '/' ? 'Overview' : path.slice(1) }));

describe('the keys', () => {
  it('lead to one page and do one thing each', () => {
    const letters = Object.values(GO);
    expect(new Set(letters).size).toBe(letters.length);
    const keys = COMMAND_IDS.flatMap((id) => commandOf(id).key ?? []);
    expect(new Set(keys).size).toBe(keys.length);
    // `g` waits for a letter.
    expect(keys).not.toContain('g');
  });

  it('are all in the help, those of other pages left out', () => {
    const all = keyGroups(PAGES, COMMAND_TEXTS).flatMap(({ keys }) => keys.map(([key]) => key));
    const declared = COMMAND_IDS.flatMap((id) => commandOf(id).key ?? []);
    expect(new Set(all)).toEqual(new Set([...declared, ...Object.values(GO).map((letter) => `g ${letter}`)]));
    const operators = keyGroups([{ path: '/tenants', title: 'Tenants' }], COMMAND_TEXTS);
    expect(operators.map(({ title }) => title)).toEqual(['Everywhere', 'Go to']);
    expect(operators.at(-1)?.keys).toEqual([['g t', 'Tenants']]);
    const titlesOf = (path: string) =>
      keyGroups([{ path, title: '' }], COMMAND_TEXTS).map(({ title }) => title);
    expect(titlesOf('/alerts')).toEqual(
      (['everywhere', 'lists', 'alerts', 'goTo'] as const).map((place) => COMMAND_TEXTS[place]),
    );
    expect(titlesOf('/explore')[1]).toBe(COMMAND_TEXTS.lists);
  });

  it('do what something shown acts on, and nothing else', () => {
    expect(commandOfKey('r', () => true)).toBe('resolve');
    expect(commandOfKey('r', (id) => id !== 'resolve')).toBeUndefined();
    expect(commandOfKey('constructor', () => true)).toBeUndefined();
    expect(letterOf('toString')).toBeUndefined();
  });
});

describe('the palette', () => {
  const offered: Offered = {
    pages: PAGES,
    saved: [{ name: 'People only', filter: 'NOT principalName:svc' }],
    commands: ['signOut', 'export', 'down'],
    zones: ['Europe/Berlin', 'Asia/Kathmandu'],
    known: [],
    readsEvents: true,
    texts: { palette: PALETTE, commands: COMMAND_TEXTS, kinds: ENTITY },
  };
  const found = (text: string, more: Partial<Offered> = {}) => entriesOf(text, { ...offered, ...more });
  const hrefs = (entries: readonly Entry[]) =>
    entries.map(({ to }) => ('href' in to ? to.href : 'zone' in to ? to.zone : to.command));

  it('has all pages, searches and actions that can be done now while nothing is typed', () => {
    const entries = found('');
    expect(entries.filter(({ group }) => group === 'pages')).toHaveLength(PAGES.length);
    expect(entries.filter(({ group }) => group === 'saved')).toHaveLength(1);
    expect(hrefs(entries.filter(({ group }) => group === 'actions'))).toEqual([
      ...['signOut', 'export', 'UTC', 'local'],
    ]);
    expect(entries.some(({ group }) => group === 'entities')).toBe(false);
  });

  it('finds time zones by the words of their names', () => {
    expect(hrefs(found('berlin'))[0]).toBe('Europe/Berlin');
    expect(hrefs(found('times of kath'))[0]).toBe('Asia/Kathmandu');
    expect(hrefs(found('ber')).slice(0, 2)).toContain('Europe/Berlin');
    expect(hrefs(found('be'))).not.toContain('Europe/Berlin');
  });

  it('finds what has each word, what begins with the text first', () => {
    expect(found('re').map(({ label }) => label)[0]).toBe('reports');
    expect(hrefs(found('only people'))[0]).toBe('/explore?filter=NOT+principalName%3Asvc');
    expect(hrefs(found('this export'))).toContain('export');
  });

  it.each([
    ['login sa', ['/entity/login?value=sa']],
    ['Server instance: SQL1\\A', ['/entity/instance?value=SQL1%5CA']],
    ['host APP 01', ['/entity/host?value=APP+01']],
    ['object HR.dbo.Pay', ['/entity/object?value=Pay&databaseName=HR&schemaName=dbo']],
    ['10.1.2.3', ['/entity/address?value=10.1.2.3', '/explore?filter=%2210.1.2.3%22']],
    ['::1', ['/entity/address?value=%3A%3A1', '/explore?filter=%22%3A%3A1%22']],
  ])('leads by %s to the page of what it names', (text, expected) => {
    const entities = found(text).filter(({ group }) => group === 'entities');
    expect(hrefs(entities)).toEqual(expected);
  });

  it('offers each kind for a name without one, values of events first and once', () => {
    const known = [
      { kind: 'login', value: 'CORP\\bob' },
      { kind: 'host', value: 'bob' },
    ] as const;
    const entities = found('bob', { known }).filter(({ group }) => group === 'entities');
    expect(entities.map(({ label, note }) => `${note} ${label}`)).toEqual([
      'Login CORP\\bob',
      'Host bob',
      'Login bob',
      'Object bob',
      'Database bob',
      'Server instance bob',
      'Search Events with "bob"',
    ]);
    expect(found('bob', { known, readsEvents: false }).some(({ group }) => group === 'entities')).toBe(false);
    expect(found('host bo', { known }).filter(({ note }) => note === 'Login')).toEqual([]);
  });
});
