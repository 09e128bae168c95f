import { GROUP_FIELDS_MAX, type Shape } from '../explore-state';
import type { FacetField } from '../facets/facet-field';

/** Who, from where, on what: the fields that a shape takes where fewer are chosen than it needs. */
const USUAL: readonly FacetField[] = ['serverPrincipalName', 'hostName', 'objectName'];
const NEEDED: Readonly<Record<Shape, readonly [least: number, most: number]>> = {
  table: [1, GROUP_FIELDS_MAX],
  bars: [1, GROUP_FIELDS_MAX],
  heat: [2, 2],
  hours: [0, 0],
  flow: [3, 3],
};

/** The fields by which a shape groups, if these are chosen. */
export function fieldsOf(shape: Shape, chosen: readonly FacetField[]): readonly FacetField[] {
  const [least, most] = NEEDED[shape];
  const others = USUAL.filter((field) => !chosen.includes(field));
  return [...chosen, ...others.slice(0, Math.max(0, least - chosen.length))].slice(0, most);
}

/** Whether a field may be left out. */
export const mayLeaveOut = (shape: Shape, place: number): boolean => place >= NEEDED[shape][0];
/** The number of fields that can be chosen. */
export const placesOf = (shape: Shape): number => NEEDED[shape][1];
