import type { Expression } from '../../event/expression/expression';
import { matches } from '../../event/expression/matches';
import { parseFilter } from '../../event/expression/parse-filter';
import { LIST_FIELDS } from '../../event/fields';
import type { ArrivedEvent } from '../../trail/arrivals/arrival-reader';
import type { Item } from './batch';
import type { Format } from './destination';

/** Makes items in a format of the events that a filter lets through. @param filter empty: all of them */
export function itemMaker(filter: string, _format: Format): (arrived: ArrivedEvent) => Item | null {
  const expression = filter === '' ? null : expressionOf(filter);
  return ({ position, event, receivedAt }) => {
    if (expression && !matches(expression, event)) return null;
    const { statement, additional } = event;
    const listed = Object.fromEntries(LIST_FIELDS.map((name) => [name, event[name]]));
    return {
      ...{ position, recordId: event.recordId, time: event.eventTime, actionId: event.actionId },
      ...{ succeeded: event.succeeded, hostName: event.serverInstanceName },
      json: JSON.stringify({ ...listed, statement, additional, receivedAt, position: String(position) }),
    };
  };
}

function expressionOf(filter: string): Expression {
  const parsed = parseFilter(filter);
  if ('problem' in parsed) throw new Error(`the filter cannot be read any more: ${parsed.problem}`);
  return parsed.expression;
}

const TEST_ID = '00000000-0000-0000-0000-000000000000';

/** A message that is no event, such as an alert. */
export const messageItem = (id: string, at: Date, content: object): Item => ({
  ...{
    position: null,
    recordId: id,
    time: at.toISOString(),
    actionId: 'ALERT',
    succeeded: true,
    hostName: null,
  },
  json: JSON.stringify(content),
});

/** The marked event of a test: it says of itself what it is. */
export const testItem = (tenantId: number, at: Date): Item => {
  const time = at.toISOString().replace('Z', '0000Z');
  const fields = Object.fromEntries(LIST_FIELDS.map((name) => [name, null]));
  return {
    ...{ position: null, recordId: TEST_ID, time, actionId: 'TEST', succeeded: true, hostName: null },
    json: JSON.stringify({
      ...fields,
      ...{
        recordId: TEST_ID,
        tenantId: String(tenantId),
        eventTime: time,
        actionId: 'TEST',
        succeeded: true,
      },
      ...{ statement: 'A test of this destination. It is no audit event.', test: true },
      ...{ additional: {}, receivedAt: at.toISOString(), position: null },
    }),
  };
};
