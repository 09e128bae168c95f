import { CloseButton, Group, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { COMMON } from './common';
import classes from './docked.module.css';
import { useTexts } from './language';

const WIDTH = { least: 360, usual: 480, most: 960, step: 40 };

const bounded = (px: number): number => Math.round(Math.min(WIDTH.most, Math.max(WIDTH.least, px)));

interface Props {
  readonly title: string;
  /** What the handle at the edge is called. */
  readonly sizeLabel: string;
  readonly onClose: () => void;
  /** Where the focus goes when the panel is closed. */
  readonly home: () => HTMLElement | null;
  readonly children: ReactNode;
}

/**
 * A panel beside the content of a page, which stays in use. Its width is kept in this browser. It takes the focus when it
 * opens, and gives it back when it closes.
 */
export function Docked({ title, sizeLabel, onClose, home, children }: Props) {
  const common = useTexts(COMMON);
  const id = useId();
  const [kept, keep] = useLocalStorage({
    key: 'panel-width',
    defaultValue: WIDTH.usual,
    getInitialValueInEffect: false,
  });
  const width = bounded(Number(kept) || WIDTH.usual);
  const panel = useRef<HTMLElement>(null);
  const back = useRef(home);
  back.current = home;

  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
    const shown = panel.current;
    // The focus of somebody who has gone on to work in the page stays where it is.
    return () => {
      if (shown?.contains(document.activeElement)) back.current()?.focus({ preventScroll: true });
    };
  }, []);

  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    onClose();
  };
  const resize = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || !panel.current) return;
    keep(bounded(panel.current.getBoundingClientRect().right - event.clientX));
  };
  const resizeByKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: WIDTH.step, ArrowRight: -WIDTH.step }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    keep(bounded(width + by));
  };
  return (
    <section
      ref={panel}
      role="dialog"
      aria-labelledby={id}
      data-docked
      tabIndex={-1}
      className={classes.panel}
      style={{ width }}
      onKeyDown={onKey}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a rule cannot be dragged */}
      <div
        role="separator"
        aria-orientation="vertical"
        aria-label={sizeLabel}
        aria-valuemin={WIDTH.least}
        aria-valuemax={WIDTH.most}
        aria-valuenow={width}
        tabIndex={0}
        className={classes.edge}
        onKeyDown={resizeByKey}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={resize}
        onDoubleClick={() => keep(WIDTH.usual)}
      />
      <div className={classes.content}>
        <Group justify="space-between" mb="xs" wrap="nowrap">
          <Title order={2} size="md" id={id}>
            {title}
          </Title>
          <CloseButton aria-label={common.close} onClick={onClose} />
        </Group>
        {children}
      </div>
    </section>
  );
}
