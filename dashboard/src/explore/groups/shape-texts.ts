import type { Shape } from '../explore-state';
import type { EXPLORE } from '../texts';

/** The names of the shapes. */
export const SHAPE_TEXTS = {
  table: 'shapeTable',
  bars: 'shapeBars',
  heat: 'shapeHeat',
  hours: 'shapeHours',
  flow: 'shapeFlow',
} as const satisfies Record<Shape, keyof typeof EXPLORE>;
