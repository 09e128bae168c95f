import { isNumberField, LIFTED_NAMES, type LiftedName } from '../../../../src/event/fields';
import type { FIELD_LABELS } from '../../lib/field-labels';
import { formatDigits } from '../../lib/numbers';
import type { In } from '../../lib/texts';

type Values = Partial<Readonly<Record<LiftedName, string | null>>>;

export interface Stated {
  readonly field: LiftedName;
  readonly label: string;
  /** As filters have it. */
  readonly value: string;
  /** As people read it: numbers of rows have separators, and numbers that name something have none. */
  readonly text: string;
}

const NAMES_SOMETHING: readonly LiftedName[] = ['sessionId', 'transactionId'];

/** What an event states beyond who, what and where: rows, session, and whom it was about. */
export const statedBy = (event: Values, labels: In<typeof FIELD_LABELS>): Stated[] =>
  LIFTED_NAMES.flatMap((field) => {
    const value = event[field];
    if (value === null || value === undefined) return [];
    const isCount = isNumberField(field) && !NAMES_SOMETHING.includes(field);
    return [{ field, label: labels[field], value, text: isCount ? formatDigits(value) : value }];
  });
