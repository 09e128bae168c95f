import type { In } from '../lib/texts';
import type { REPORTS } from './texts';

/** Parameters beside period and zone, by report; others take a filter. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  'trail-health': [],
  controls: ['framework'],
};
const NAMED = [
  ...(['filter', 'framework', 'databaseName', 'schemaName', 'objectName'] as const),
  ...(['principalName', 'applicationName', 'clientIp'] as const),
];

/** The parameters that a form of a report asks for. @param needs those of which one must be given */
export const parametersOf = (reportId: string, needs: readonly string[]): readonly string[] =>
  PARAMETERS[reportId] ?? [...needs.filter((name) => name !== 'filter'), 'filter'];

export function labelOf(name: string, t: In<typeof REPORTS>): string {
  const named = NAMED.find((each) => each === name);
  return named ? t[named] : name;
}
