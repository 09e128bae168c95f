import type { GridCell } from './grid-data';

/** A node of a flow: a value of a field, or its others. Heights and places are pixels. */
export interface FlowNode {
  readonly axis: number;
  readonly place: number;
  readonly weight: number;
  readonly top: number;
  readonly height: number;
}

/** What goes between two nodes of neighbouring fields: a ribbon from left to right. */
export interface FlowLink {
  readonly axis: number;
  readonly from: number;
  readonly to: number;
  readonly weight: number;
  /** The upper and the lower edge, at its left and at its right end. */
  readonly left: readonly [number, number];
  readonly right: readonly [number, number];
}

const NODE_MIN = 22;
const GAP = 6;

/** Places nodes below each other for each field, and ribbons between them. A small node is as high as its text. */
export function layFlow(cells: readonly GridCell[], axes: number, height: number) {
  const total = cells.reduce((sum, { weight }) => sum + weight, 0);
  const columns = Array.from({ length: axes }, (_, axis) => columnOf(cells, axis, { total, height }));
  const links: FlowLink[] = [];
  for (let axis = 0; axis + 1 < axes; axis++) {
    const [from, to] = [columns[axis] ?? [], columns[axis + 1] ?? []];
    const sums = new Map<string, number>();
    for (const { places, weight } of cells) {
      const key = `${places[axis]},${places[axis + 1]}`;
      sums.set(key, (sums.get(key) ?? 0) + weight);
    }
    const used = [new Map<number, number>(), new Map<number, number>()] as const;
    for (const a of from)
      for (const b of to) {
        const weight = sums.get(`${a.place},${b.place}`);
        if (!weight) continue;
        links.push({
          axis,
          from: a.place,
          to: b.place,
          weight,
          left: edgeOf(a, weight, used[0]),
          right: edgeOf(b, weight, used[1]),
        });
      }
  }
  const nodes = columns.flat();
  return { nodes, links, height: Math.max(0, ...nodes.map(({ top, height: high }) => top + high)) };
}

function columnOf(
  cells: readonly GridCell[],
  axis: number,
  { total, height }: { readonly total: number; readonly height: number },
): FlowNode[] {
  const sums = new Map<number, number>();
  for (const { places, weight } of cells) {
    const place = places[axis] ?? 0;
    sums.set(place, (sums.get(place) ?? 0) + weight);
  }
  const free = Math.max(0, height - sums.size * (NODE_MIN + GAP));
  let top = 0;
  return [...sums]
    .sort(([a], [b]) => a - b)
    .map(([place, weight]) => {
      const node = { axis, place, weight, top, height: NODE_MIN + (free * weight) / Math.max(1, total) };
      top += node.height + GAP;
      return node;
    });
}

/** The next part of a node's side, as wide as its share of the node's weight. */
function edgeOf(node: FlowNode, weight: number, used: Map<number, number>): [number, number] {
  const before = used.get(node.place) ?? 0;
  used.set(node.place, before + weight);
  const at = (n: number) => node.top + (node.height * n) / node.weight;
  return [at(before), at(before + weight)];
}
