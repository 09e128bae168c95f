import type { Request, RequestHandler, Response } from 'express';
import type { Call } from '../src/caller/call';
import type { AccessRule } from '../src/caller/principal';
import { guarded, type Running } from '../src/graphql/guard';

/**
 * Answers by an operation that writes its answer while it reads, and so is no root field of GraphQL. The guard of root
 * fields holds for it too.
 */
export function streamed(
  { operation, rule }: { readonly operation: string; readonly rule: AccessRule },
  contextOf: (request: Request, response: Response) => Promise<Call>,
  work: (call: Call, running: Running, request: Request, response: Response) => Promise<void>,
): RequestHandler {
  return async (request, response) => {
    const call = await contextOf(request, response);
    await guarded(
      {
        call,
        rule,
        note: (result) => {
          response.locals.rows = result.rows ?? undefined;
          call.note({ ...result, operation, parameters: { ...request.query, ...request.params } });
        },
      },
      (running) => work(call, running, request, response),
    );
  };
}
