import type { Answer } from './answer';
import type { World } from './world';

/** A session of the dashboard, with the requests that a signed-in browser would send. */
export class DashboardSession {
  private constructor(
    private readonly world: World,
    readonly cookie: string,
  ) {}

  static async signIn(world: World, key: string): Promise<DashboardSession> {
    const answer = await signIn(world, key);
    if (answer.status !== 200) throw new Error(answer.text);
    return new DashboardSession(world, cookieOf(answer));
  }

  fetch(path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { 'X-Dashboard': '1', Cookie: this.cookie, ...init.headers };
    return this.world.fetch(path, { ...init, headers });
  }

  graphql(query: string, variables: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const body = JSON.stringify({ query, variables });
    return this.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    });
  }
}

export const signIn = (world: World, key: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  world.fetch('/dashboard/api/sign-in', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Dashboard': '1', ...headers },
    body: JSON.stringify({ key }),
  });

/** The cookie that an answer sets, as the browser sends it back. */
export const cookieOf = ({ headers }: Answer): string => headers.get('Set-Cookie')?.split(';', 1)[0] ?? '';
