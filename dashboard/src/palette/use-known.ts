import { useClient } from 'urql';
import { FacetsDocument } from '../../generated/operations';
import { kindOf } from '../entity/entity-links';
import { boundsOf, last } from '../explore/time-range';
import { serviceNowMs } from '../lib/service-clock';
import { MINUTE_MS } from '../lib/time';
import { useAnswer } from '../lib/use-answer';
import type { Offered } from './entries';

const WAIT_MS = 200;
/** Fewer characters would be like too many values. */
const CHARS_MIN = 2;
const PER_FIELD = 3;
const FIELDS = ['serverPrincipalName', 'hostName', 'clientIp', 'objectName', 'databaseName'] as const;
const RANGE = last(7, 'd');

/** Values of events of the last 7 days that contain the text. One question, after a pause in typing. */
export function useKnown(text: string, readsEvents: boolean): Offered['known'] {
  const client = useClient();
  const { answer, isBusy } = useAnswer(
    readsEvents && text.length >= CHARS_MIN ? { text } : null,
    async (asked, signal) => {
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      if (signal.aborted) return [];
      // Whole minutes, so that a question within the same minute is the same.
      const now = Math.ceil(serviceNowMs() / MINUTE_MS) * MINUTE_MS;
      const variables = {
        ...boundsOf(RANGE, now, 'UTC'),
        fields: [...FIELDS],
        limit: PER_FIELD,
        contains: asked.text,
      };
      const { data } = await client.query(FacetsDocument, variables).toPromise();
      // What is not offered can be typed.
      return (data?.auditFacets.facets ?? []).flatMap(({ field, values }) => {
        const kind = kindOf(field);
        return (values ?? []).flatMap(({ value }) => (kind && value ? [{ kind, value }] : []));
      });
    },
  );
  return isBusy ? [] : (answer ?? []);
}
