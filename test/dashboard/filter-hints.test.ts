import { hintsOf } from '../../dashboard/src/explore/filter/hints';
import { anyCase, wantedOf, withValue } from '../../dashboard/src/explore/filter/letter-case';
import { networkAddresses } from '../../dashboard/src/explore/filter/networks';
import { parseFilter } from '../../src/event/expression/parse-filter';

describe('the hints for a filter', () => {
  it.each([
    ['user=sa', 'principalName:sa'],
    ['principalName=sa', 'principalName:sa'],
    ['server_principal_name = sa', 'principalName:sa'],
    ["login == 'CORP\\svc etl'", 'principalName:"CORP\\svc etl"'],
    ['user="sa" AND salary', 'principalName:sa AND salary'],
    ['salary (db<>master OR x)', 'salary (NOT databaseName:master OR x)'],
    ['host != "W S"', 'NOT hostName:"W S"'],
    ['user:sa', 'principalName:sa'],
    ['-table~"a b"', '-objectName~"a b"'],
    ['clientIp:10.20.0.0/16 AND NOT user:x', 'clientIp:10.20.* AND NOT user:x'],
    ['clientIp:10.20.8.0/23', 'clientIp:(10.20.8.* OR 10.20.9.*)'],
    ['ip=10.1.2.3', 'clientIp:10.1.2.3'],
  ])('offer what may be meant by %s', (typed, filter) => {
    const [hint] = hintsOf(typed);
    expect(hint?.filter).toBe(filter);
    expect(typed).toContain(hint?.typed);
    expect(filter).toContain(hint?.meant);
    expect('expression' in parseFilter(hint?.meant ?? '')).toBe(true);
  });

  it.each([
    ...['', 'principalName:sa', 'user sa', 'a=b 1=1', '"user=sa"', 'statement:"where user=sa"'],
    ...[
      'objectName:user=sa',
      'clientIp:10.0.0.1',
      'objectName:10.0.0.0/8',
      'clientIp:10.*',
      'statement:"\\" user=sa"',
    ],
  ])('are none for %s', (typed) => {
    expect(hintsOf(typed)).toEqual([]);
  });

  it('say that networks are not compared, also where no filter means the same', () => {
    for (const network of ['2001:db8::/32', '10.0.0.0/25', '10.0.0.0/0', '10.0.0.999/8', '10.0/8'])
      expect(hintsOf(`clientIp:${network}`)).toEqual([
        {
          typed: `clientIp:${network}`,
          why: 'Client addresses are compared as text, and not by network.',
          meant: null,
          filter: null,
        },
      ]);
  });

  it('are at most three, each for its own place', () => {
    const hints = hintsOf('user=a user=b user=c user=d');
    expect(hints.map(({ filter }) => filter)).toEqual([
      'principalName:a user=b user=c user=d',
      'user=a principalName:b user=c user=d',
      'user=a user=b principalName:c user=d',
    ]);
  });
});

describe('the values for a network', () => {
  const matches = (values: readonly string[], address: string) =>
    values.some((value) =>
      value.endsWith('*') ? address.startsWith(value.slice(0, -1)) : address === value,
    );
  const toNumber = (address: string) =>
    address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);

  it('are those of exactly its addresses', () => {
    for (const [network, inside] of [
      ['10.20.0.0/16', ['10.20.0.0', '10.20.255.255']],
      ['172.16.0.0/12', ['172.16.0.0', '172.31.255.255']],
      ['10.0.9.200/23', ['10.0.8.0', '10.0.9.255']],
      ['192.168.7.64/26', ['192.168.7.64', '192.168.7.127']],
      ['192.168.7.9/32', ['192.168.7.9', '192.168.7.9']],
      ['128.0.0.0/2', ['128.0.0.0', '191.255.255.255']],
    ] as const) {
      const values = networkAddresses(network) ?? [];
      const [first, last] = inside.map(toNumber) as [number, number];
      expect(values.length).toBeGreaterThan(0);
      for (const number of [first - 1, first, Math.floor((first + last) / 2), last, last + 1]) {
        const address = [24, 16, 8, 0].map((bits) => Math.floor(number / 2 ** bits) % 256).join('.');
        expect([address, matches(values, address)]).toEqual([address, number >= first && number <= last]);
      }
    }
  });

  it.each([
    '10.0.0.0/1',
    '10.0.0.0/25',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::1/128',
    '10.0.0/8',
    '1.2.3.256/24',
    '',
  ])('are not known, or too many: %s', (network) => {
    expect(networkAddresses(network)).toBeNull();
  });
});

describe('a value in another letter case', () => {
  it('is looked for where the filter asks for a value exactly', () => {
    const filter =
      'objectName:(carddata OR "a b") NOT principalName:SA succeeded:true hostName~x actionId:sl*';
    const wanted = wantedOf(filter);
    expect(wanted).toEqual([
      { field: 'objectName', value: 'carddata' },
      { field: 'objectName', value: 'a b' },
    ]);
    expect(wanted.map(anyCase)).toEqual(['objectName~carddata', 'objectName~"a b"']);
    expect(wantedOf('objectName:(a OR b OR c OR d OR e)')).toHaveLength(4);
    expect(wantedOf('tenantId:1 NOT objectName:* objectName:')).toEqual([]);
    expect(wantedOf('principalName:SA')).toEqual([{ field: 'serverPrincipalName', value: 'SA' }]);
  });

  it('takes the place of the wanted one alone', () => {
    const wanted = { field: 'objectName', value: 'carddata' } as const;
    expect(withValue('salary objectName:carddata', wanted, 'CardData')).toBe(
      'salary AND objectName:CardData',
    );
    expect(withValue('objectName:(x OR carddata) AND NOT objectName:y', wanted, 'Card Data')).toBe(
      'objectName:(x OR "Card Data") AND NOT objectName:y',
    );
    expect(withValue('objectName:(carddata OR CardData)', wanted, 'CardData')).toBe('objectName:CardData');
  });
});
