import { isTimeout, withDeadline } from '../deadline';
import { errorText } from '../log';
import type { QueuedEvents } from '../queued-events';
import { type Answer, toAnswer } from './answer';
import { graphqlUrl, postGraphql, RedirectError, type ServiceAddress } from './graphql-post';
import { RequestBody } from './request-body';

interface IngestTarget extends ServiceAddress {
  /** Null: the tenant of the key. */
  readonly tenantId: string | null;
}

/** Sends events to the service, once. It never throws: a failure is an answer too. */
export class IngestClient {
  private readonly body: RequestBody;

  constructor(
    private readonly target: IngestTarget,
    private readonly requestTimeoutMs: number,
  ) {
    this.body = new RequestBody(target.tenantId);
  }

  /** @param events if empty, the answer says whether the service accepts events, and nothing changes */
  async send(events: QueuedEvents, abandon: AbortSignal): Promise<Answer> {
    const url = graphqlUrl(this.target);
    try {
      const answer = await withDeadline(this.requestTimeoutMs, abandon, (signal) =>
        postGraphql(this.target, this.body.of(events), signal),
      ).then((http) => toAnswer(http, events.length, Date.now()));
      return answer.kind === 'busy' ? { ...answer, message: `${url}: ${answer.message}` } : answer;
    } catch (error) {
      return { kind: 'busy', message: `${url}: ${reasonOf(error)}`, retryAfterMs: null };
    }
  }
}

/** Why there was no answer, for people. */
export function reasonOf(error: unknown): string {
  if (isTimeout(error)) return 'no answer in time';
  return error instanceof RedirectError ? error.message : `cannot be reached: ${errorText(error)}`;
}
