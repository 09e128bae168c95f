import { Portal } from '@mantine/core';
import { Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useRouter } from 'wouter';
import { showHidden } from '../explore/event/marks';
import { part } from '../lib/part';
import { Boundary } from '../shell/boundary';
import { entityOf, placeOf } from './card-place';
import classes from './entity-cards.module.css';
import type { EntityId } from './entity-links';

const EntityCard = part('entity-card', () => import('./entity-card'));

const CARD_ID = 'entity-card';
/** A pointer or a focus that only passes opens nothing. */
const OPENS_MS = 400;
/** Within this time the pointer may move from the link to the card. */
const CLOSES_MS = 150;

interface Open {
  readonly link: HTMLAnchorElement;
  readonly id: EntityId;
}

/** The card of whatever link to an entity the pointer or the focus rests on. Escape closes it, and nothing else with it. */
export function EntityCards() {
  const { base } = useRouter();
  const [open, setOpen] = useState<Open | null>(null);
  const isOpen = useRef(false);
  isOpen.current = open !== null;

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = (next: Open | null) => {
      clearTimeout(timer);
      timer = setTimeout(() => setOpen(next), next ? OPENS_MS : CLOSES_MS);
    };
    const close = () => {
      clearTimeout(timer);
      setOpen(null);
    };
    const at = (target: EventTarget | null) => {
      if (!(target instanceof Element)) return soon(null);
      if (target.closest(`#${CARD_ID}`)) return clearTimeout(timer);
      const link = target.closest('a');
      const id = link && entityOf(link.href, base);
      soon(link && id ? { link, id } : null);
    };
    // What moves under a pointer that rests opens nothing.
    let [x, y] = [Number.NaN, Number.NaN];
    let over: EventTarget | null = null;
    const onPointer = ({ pointerType, clientX, clientY, target }: PointerEvent) => {
      const isMoved = clientX !== x || clientY !== y;
      [x, y] = [clientX, clientY];
      if (pointerType === 'touch' || !isMoved || target === over) return;
      over = target;
      at(target);
    };
    const onScroll = () => {
      over = null;
      close();
    };
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.matches(':focus-visible')) at(target);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !isOpen.current) return;
      event.stopImmediatePropagation();
      close();
    };
    window.addEventListener('keydown', onKey, true);
    document.addEventListener('pointermove', onPointer);
    document.addEventListener('focusin', onFocus);
    document.addEventListener('click', close, true);
    document.addEventListener('scroll', onScroll, true);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('keydown', onKey, true);
      document.removeEventListener('pointermove', onPointer);
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('click', close, true);
      document.removeEventListener('scroll', onScroll, true);
    };
  }, [base]);

  return (
    open && (
      <Portal>
        <Card key={open.link.href} {...open} />
      </Portal>
    )
  );
}

function Card({ link, id }: Open) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    link.setAttribute('aria-describedby', CARD_ID);
    return () => link.removeAttribute('aria-describedby');
  }, [link]);
  // The card grows with its answer, and its link may be gone from the page then.
  useLayoutEffect(() => {
    const card = place.current;
    if (!card) return;
    const move = () => {
      const { left, top } = placeOf(link.getBoundingClientRect(), card.getBoundingClientRect(), {
        width: window.innerWidth,
        height: window.innerHeight,
      });
      card.style.left = `${left}px`;
      card.style.top = `${top}px`;
    };
    const observer = new ResizeObserver(move);
    observer.observe(card);
    move();
    return () => observer.disconnect();
  }, [link]);
  return (
    <div ref={place} id={CARD_ID} role="tooltip" className={classes.card}>
      <Boundary>
        <Suspense fallback={<strong>{showHidden(id.value)}</strong>}>
          <EntityCard id={id} />
        </Suspense>
      </Boundary>
    </div>
  );
}
