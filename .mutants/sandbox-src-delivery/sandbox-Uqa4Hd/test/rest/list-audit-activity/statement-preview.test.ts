import { ENGINES } from '../../support/engines';
import { useWorld } from '../../support/use-world';

const a = (count: number) => 'a'.repeat(count);
const EMOJI = '\u{1F600}';

describe.each(ENGINES)('statementPreview of GET /audit-activity on %s', (engine) => {
  const at = useWorld(engine);

  it.each([
    ['one character', 'a', 'a'],
    ['199 characters', a(199), a(199)],
    ['200 characters', a(200), a(200)],
    ['201 characters', a(201), a(200)],
    ['emoji as the 200th', a(199) + EMOJI, a(199) + EMOJI],
    ['emoji as the 200th of more', `${a(199) + EMOJI}b`, a(199) + EMOJI],
    ['emoji as the 201st', a(200) + EMOJI, a(200)],
    ['emoji throughout', EMOJI.repeat(300), EMOJI.repeat(200)],
    ['200 emoji', EMOJI.repeat(200), EMOJI.repeat(200)],
    ['U+0000 throughout', '\0'.repeat(201), '\0'.repeat(200)],
    ['half a pair as the 200th', `${a(199)}\uD83Dbc`, `${a(199)}\uD83D`],
    ['half a pair as the 201st', `${a(200)}\uD83Dbc`, a(200)],
    ['U+10FFFF throughout', '\u{10FFFF}'.repeat(250), '\u{10FFFF}'.repeat(200)],
    ['half pairs throughout', '\uDE00'.repeat(250), '\uDE00'.repeat(200)],
    ['accents of their own, which are characters', 'e\u0301'.repeat(150), 'e\u0301'.repeat(100)],
  ])('holds the first 200 characters of a statement: %s', async (_, statement, preview) => {
    const acme = await at.world.tenant();
    await acme.audited({ statement });
    const [item] = (await acme.get('/audit-activity')).body.data;
    expect(item.statementPreview).toBe(preview);
    const { data } = (await acme.get(`/audit-activity/${item.recordId}`)).body;
    expect(data.statement).toBe(statement);
  });
});
