import { factsOf } from '../../dashboard/src/entity/card-facts';
import { entityOf, placeOf } from '../../dashboard/src/entity/card-place';
import { entityFilter, entityPage, objectPage, valuePage } from '../../dashboard/src/entity/entity-links';
import { ENTITY } from '../../dashboard/src/entity/texts';
import { clockHours } from '../../dashboard/src/entity/usual-hours';
import { FIELD_LABELS } from '../../dashboard/src/lib/field-labels';

const ENGLISH = { t: ENTITY, labels: FIELD_LABELS };

describe('the page of an entity', () => {
  const id = { value: 'a "b" \\ c', databaseName: 'HR', schemaName: null };

  it('finds the events of the entity, and of an object those where it lies', () => {
    expect(entityFilter({ ...id, kind: 'object' })).toBe(
      'objectName:"a \\"b\\" \\\\ c" AND databaseName:"HR"',
    );
    expect(entityFilter({ kind: 'object', value: 'Salary', databaseName: null, schemaName: 'dbo' })).toBe(
      'objectName:"Salary" AND schemaName:"dbo"',
    );
    expect(entityFilter({ ...id, kind: 'login' })).toBe('serverPrincipalName:"a \\"b\\" \\\\ c"');
  });

  it('is that of an object where its place is named whole', () => {
    expect(objectPage('HR.dbo.Salary')).toBe('/entity/object?value=Salary&databaseName=HR&schemaName=dbo');
    const others = ['Salary', 'dbo.Salary', '.dbo.Salary', 'HR..Salary', 'HR.dbo.', 'a.HR.dbo.Salary'];
    expect(others.map(objectPage)).toEqual(others.map(() => null));
    expect(valuePage('clientIp', '10.0.0.1')).toBe('/entity/address?value=10.0.0.1');
    for (const field of ['serverPrincipalName', 'targetServerPrincipalName', 'roleMember'])
      expect(valuePage(field, 'ana')).toBe('/entity/login?value=ana');
    expect([valuePage('clientIp', ''), valuePage('clientIp', null), valuePage('statement', 'x')]).toEqual([
      ...[null, null, null],
    ]);
  });

  it('counts the hours of the clock, the last 7 days apart from those before', () => {
    const hours = [1, 20, 300, ...Array<number>(21).fill(0), 4_000];
    const times = { startTime: '2026-01-05T08:00:00Z', recentTime: '2026-01-05T10:00:00Z', hours };
    const clock = clockHours(times, 'Europe/Berlin');
    expect(clock).toHaveLength(24);
    expect([8, 9, 10, 11].map((hour) => clock[hour])).toEqual([
      { known: 0, recent: 0 },
      { known: 1, recent: 4_000 },
      { known: 20, recent: 0 },
      { known: 0, recent: 300 },
    ]);
  });
});

describe('the card of an entity', () => {
  it('is one for each link to a page of an entity, and for no other link', () => {
    const at = (href: string | null) => entityOf(`https://audit.example/dashboard${href}`, '/dashboard');
    const nowhere = { databaseName: null, schemaName: null };
    expect(at(entityPage('login', 'CORP\\a&b'))).toEqual({ kind: 'login', value: 'CORP\\a&b', ...nowhere });
    expect(at(objectPage('HR.dbo.Salary'))).toEqual({
      kind: 'object',
      value: 'Salary',
      databaseName: 'HR',
      schemaName: 'dbo',
    });
    expect(['/explore?value=a', '/entity/planet?value=a', '/entity/login', '/entity/'].map(at)).toEqual(
      Array(4).fill(null),
    );
    expect(entityOf('https://audit.example/entity/login?value=a', '/dashboard')).toBeNull();
  });

  const card = { events: 1_234, failed: 0, firstTime: '2026-01-05T08:00:00.1234567Z', lastTime: null };
  it('has five facts', () => {
    const related = [
      { field: 'hostName', newCount: 1 },
      { field: 'databaseName', newCount: 0 },
      { field: 'clientIp', newCount: 1_002 },
    ];
    expect(
      factsOf({ ...card, failed: 12, related, alertCount: 2 }, { ...ENGLISH, zone: 'Europe/Berlin' }),
    ).toEqual([
      { name: 'Events', text: '1,234, 12 failed' },
      { name: 'First seen', text: expect.stringMatching(/^2026-01-05 09:00:00/) },
      { name: 'Last seen', text: 'never' },
      { name: 'Open alerts', text: '2' },
      { name: 'New in 7 days', text: 'host 1, client address 1,002' },
    ]);
  });

  it('says which fact this sign-in may not know, and that nothing is new', () => {
    const texts = factsOf({ ...card, related: [], alertCount: null }, { ...ENGLISH, zone: 'UTC' }).map(
      ({ text }) => text,
    );
    expect(texts).toEqual([
      '1,234',
      expect.stringMatching(/^2026-01-05 08:00:00/),
      'never',
      'not read by this sign-in',
      'nothing',
    ]);
  });

  it.each([
    ['below', { left: 100, top: 50, bottom: 70 }, { left: 100, top: 74 }],
    ['above where there is no room below', { left: 100, top: 550, bottom: 570 }, { left: 100, top: 446 }],
    ['within the screen at its right edge', { left: 390, top: 50, bottom: 70 }, { left: 196, top: 74 }],
    ['within the screen left of it', { left: -50, top: 50, bottom: 70 }, { left: 4, top: 74 }],
    ['within the screen where it fits nowhere', { left: 0, top: 20, bottom: 590 }, { left: 4, top: 4 }],
  ])('lies %s', (_, about, place) => {
    expect(placeOf(about, { width: 200, height: 100 }, { width: 400, height: 600 })).toEqual(place);
  });
});
