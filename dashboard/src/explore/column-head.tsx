import { type DragEvent, type PointerEvent, type ReactNode, useRef } from 'react';
import classes from './column-head.module.css';
import { type Column, isColumn } from './explore-state';
import { boundedWidth } from './own-columns';

/** What a dragged heading carries. */
const KIND = 'application/x-column';

interface Props {
  readonly column: Column;
  /** Called with the column that is dropped on this one. */
  readonly onDrop: (column: Column) => void;
  /** Null: as wide as what it holds. */
  readonly onWidth: (width: number | null) => void;
  readonly children: ReactNode;
}

/** A heading that is dragged to another place, with an edge that is dragged to another width. The choice of columns does both for a keyboard. */
export function ColumnHead({ column, onDrop, onWidth, children }: Props) {
  const head = useRef<HTMLDivElement>(null);
  const drop = (event: DragEvent) => {
    const dropped = event.dataTransfer.getData(KIND);
    if (!isColumn(dropped)) return;
    event.preventDefault();
    onDrop(dropped);
  };
  const resize = (event: PointerEvent<HTMLDivElement>) => {
    const cell = head.current?.closest('th');
    if (!cell || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    onWidth(boundedWidth(event.clientX - cell.getBoundingClientRect().left));
  };
  const setDraggable = (isDraggable: boolean) => {
    if (head.current) head.current.draggable = isDraggable;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only for a pointer, see above
    <div
      ref={head}
      className={classes.head}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData(KIND, column);
        event.dataTransfer.effectAllowed = 'move';
      }}
      onDragOver={(event) => event.dataTransfer.types.includes(KIND) && event.preventDefault()}
      onDrop={drop}
    >
      {children}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only for a pointer, see above */}
      <div
        className={classes.edge}
        data-edge={column}
        // Over the edge, the heading stays where it is.
        onPointerEnter={() => setDraggable(false)}
        onPointerLeave={() => setDraggable(true)}
        onPointerDown={(event) => {
          event.preventDefault();
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={resize}
        onDoubleClick={() => onWidth(null)}
      />
    </div>
  );
}
