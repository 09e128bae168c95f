import { describeOnPostgres } from '../support/engines';
import { type Attacked, useScene } from '../support/hostile/under-attack';

const CALLS = 100;
const FIELDS = ['a', 'b', 'c', 'd', 'e'].map(
  (name) => `${name}: accessLog(first: 1000) { entries { entryId parameters } }`,
);
const QUERY = `{ ${FIELDS.join(' ')} }`;

async function ask({ url }: Attacked, operatorKey: string) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Api-Key': operatorKey },
    body: JSON.stringify({ query: QUERY }),
  });
  return { retryAfter: response.headers.get('Retry-After'), text: await response.text() };
}

describeOnPostgres('the access log, asked by one operator many times at once', () => {
  const at = useScene();

  it('leaves connections to tenants: some calls are answered, and the others learn when to try again', async () => {
    const { operatorKey } = at.scene;
    let answers: readonly Awaited<ReturnType<typeof ask>>[] = [];
    await at.underAttack(async (attacked) => {
      answers = await Promise.all(Array.from({ length: CALLS }, () => ask(attacked, operatorKey)));
    });
    const isRefused = ({ text }: { readonly text: string }) => text.includes('"service_unavailable"');
    expect(answers.some((answer) => !isRefused(answer))).toBe(true);
    expect(answers.some(isRefused)).toBe(true);
    for (const { text, retryAfter } of answers.filter(isRefused))
      expect([text, Number(retryAfter) >= 1]).toEqual([text, true]);
  });
});
