import type { RequestHandler } from 'express';
import type { Call } from '../caller/call';
import { askerOf } from '../caller/principal';
import { furtherCalls, hasMark, type WholeTexts } from '../event/marks';
import { writePieces } from '../http/write-pieces';

/** Puts large statements in the place of their marks when an answer is sent. */
export const sendLarge =
  (large: Pick<WholeTexts, 'pieces'>): RequestHandler =>
  (_request, response, next) => {
    const send = response.send.bind(response);
    response.send = (body) => {
      if (typeof body !== 'string' || !hasMark(body)) return send(body);
      const call: Call = response.locals.context;
      call.charge(furtherCalls([body]));
      large.pieces([body], askerOf(call)).then((pieces) => writePieces(response, pieces), next);
      return response;
    };
    next();
  };
