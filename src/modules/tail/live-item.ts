import { type AuditEventListItem, LIST_FIELDS, STATEMENT_PREVIEW } from '../../event/fields';
import { liftedOf } from '../../event/lifted';
import { MARK } from '../../event/marks';
import type { ArrivedEvent } from '../../store/log/arrivals/arrival-reader';
import { previewOf } from '../../store/rows/event-rows';

/** An event that arrived, as an item of a list: with a preview in place of its statement. */
export function liveItem({ event }: ArrivedEvent): AuditEventListItem {
  const [beginning = ''] = (event.statement ?? '').split(MARK, 1);
  const item: Record<string, unknown> = {};
  for (const name of LIST_FIELDS) item[name] = event[name];
  Object.assign(item, liftedOf(event));
  item[STATEMENT_PREVIEW.name] = previewOf(beginning);
  return item as AuditEventListItem;
}
