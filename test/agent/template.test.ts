import { templateOf } from '../../agent/config/template';

const written = (EnrollToken: unknown, ...names: unknown[]) =>
  JSON.stringify({
    CentralApi: { BaseUrl: 'https://a.example', ...(EnrollToken !== undefined && { EnrollToken }) },
    EventHubPublisher: { Databases: names.map((Name) => ({ Name, Enabled: true })) },
  });
const read = (text: string) => {
  const template = templateOf(text, 'SQL01');
  if (template === null) return null;
  const { content, token, central } = template;
  const { Databases } = content.EventHubPublisher as { Databases: { Name: string }[] };
  return { token, central, names: Databases.map(({ Name }) => Name) };
};
const central = { BaseUrl: 'https://a.example' };

it.each<[string, string, object | null]>([
  ['of one host', written(undefined, 'A'), null],
  [
    'with the name of its host',
    written(undefined, '%COMPUTERNAME%', 'B'),
    { token: null, central, names: ['SQL01', 'B'] },
  ],
  [
    'in any letter case, more than once',
    written(undefined, 'x-%ComputerName%-%computername%'),
    { names: ['x-SQL01-SQL01'] },
  ],
  ['with a token', written(' t1 ', 'A'), { token: 't1', central, names: ['A'] }],
  ['with a token that is not filled in', written('  ', 'A'), { token: null, central, names: ['A'] }],
  ['with a token that is none', written(7, 'A'), { token: null, names: ['A'] }],
  ['with a byte order mark', `\uFEFF${written('t1', 'A')}`, { token: 't1' }],
  ['with a name that is none', written('t1', 7), { names: [7] }],
  ['that is no JSON', '{', null],
  ['that is a list', '[]', null],
])('a configuration %s', (_, text, expected) => {
  if (expected === null) expect(read(text)).toBeNull();
  else expect(read(text)).toMatchObject(expected);
});

it('a configuration with a token needs no databases yet', () => {
  const text = JSON.stringify({ CentralApi: { EnrollToken: 't1', BaseUrl: 'u' } });
  expect(templateOf(text)).toMatchObject({ token: 't1', central: { BaseUrl: 'u' } });
  expect(templateOf('{"CentralApi":{}}')).toBeNull();
});
