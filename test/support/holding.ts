import type { FieldTerm } from '../../src/event/expression/expression';
import { type Holding, holdingSteps, type NumberedValue } from '../../src/store/columns/evaluate';

/** Of which values the terms hold, in one go. */
export function holdingOf(terms: readonly FieldTerm[], values: readonly NumberedValue[]): Holding {
  const steps = holdingSteps(terms, values);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
