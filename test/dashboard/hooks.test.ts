import { Drawn } from './support/drawn';

jest.mock('react', () => jest.requireActual('./support/drawn').REACT);
const asked: { variables: unknown; answer: (result: object) => void }[] = [];
jest.mock('urql', () => ({ useClient: () => CLIENT }));
const CLIENT = {
  query: (_query: unknown, variables: unknown) => ({
    subscribe: (answer: (result: object) => void) => {
      asked.push({ variables, answer });
      return { unsubscribe: () => {} };
    },
  }),
};
jest.mock('../../dashboard/src/lib/use-stable', () => ({ useStable: (value: unknown) => value }));

const { useHeld } = jest.requireActual<{ useHeld: (isOn: boolean, isOpen: boolean) => boolean }>(
  '../../dashboard/src/explore/live/use-held',
);
const { useOneStop } = jest.requireActual<{ useOneStop: (place: { current: unknown }) => void }>(
  '../../dashboard/src/lib/use-one-stop',
);
const { usePolled } = jest.requireActual<{
  usePolled: (poll: { query: object; variables: object; everyMs: null }) => {
    readonly data: unknown;
    readonly ask: () => void;
  };
}>('../../dashboard/src/lib/use-polled');

let component: Drawn;
beforeEach(() => {
  component = new Drawn();
  asked.length = 0;
});

describe('a question that is asked again', () => {
  const [acme, other] = [{ tenantId: '1' }, { tenantId: '2' }];
  const polled = (variables: object) =>
    component.draw(() => usePolled({ query: {}, variables, everyMs: null }));

  it.each([
    ['the same question, keeps its answer', acme, { n: 1 }],
    ['another question, shows no answer of the one before', other, undefined],
  ])('and that fails as %s', (_, next, shown) => {
    polled(acme);
    asked[0]?.answer({ data: { n: 1 } });
    expect(polled(acme).data).toEqual({ n: 1 });
    polled(next).ask();
    expect(asked.at(-1)?.variables).toBe(next);
    asked.at(-1)?.answer({ error: new Error('away') });
    expect(polled(next)).toMatchObject({ data: shown, error: new Error('away'), isBusy: false });
  });
});

describe('rows to which new events come', () => {
  const node = (more: object = {}) => ({ closest: () => null, ...more });
  const [row, aside] = [node({ closest: () => ({}) }), node()];
  const held = (top: number, active: object, selection: object | null, scrolled = 0) => {
    const list = {
      contains: (one: unknown) => one === row,
      getBoundingClientRect: () => ({ top }),
      querySelector: () => ({ closest: () => ({ scrollTop: scrolled }) }),
    };
    const page = { activeElement: active, getElementById: () => list, addEventListener: () => {} };
    Object.assign(globalThis, { document: page, getSelection: () => selection });
    try {
      component.draw(() => useHeld(true, false));
      return component.draw(() => useHeld(true, false));
    } finally {
      for (const name of ['document', 'getSelection']) Reflect.deleteProperty(globalThis, name);
    }
  };

  it.each([
    ['the reader is elsewhere', false, 100, aside, null, 0],
    ['text of another part of the page is selected', false, 100, aside, { anchorNode: aside }, 0],
    [
      'a place in the rows is chosen, without text',
      false,
      100,
      aside,
      { anchorNode: row, isCollapsed: true },
      0,
    ],
    ['text of the rows is selected', true, 100, aside, { anchorNode: row }, 0],
    ['a row has the focus', true, 100, row, null, 0],
    ['a row of another list has the focus', false, 100, node({ closest: () => ({}) }), null, 0],
    ['the page is scrolled down', true, 10, aside, null, 0],
    ['the list is scrolled down', true, 100, aside, null, 1],
  ])('while %s, are held: %s', (_, isHeld, top, active, selection, scrolled) => {
    expect(held(top, active, selection, scrolled)).toBe(isHeld);
  });
});

describe('a row of controls that is one stop', () => {
  const moved = (event: object) => {
    const focused: string[] = [];
    const controls = ['a', 'b', 'c'].map((name) => ({
      matches: () => false,
      getClientRects: () => [{}],
      focus: () => focused.push(name),
    }));
    const heard = new Map<string, (event: object) => void>();
    const root = {
      querySelectorAll: () => controls,
      addEventListener: (name: string, act: (event: object) => void) => heard.set(name, act),
    };
    class Watcher {
      observe(): void {}
    }
    Object.assign(globalThis, { MutationObserver: Watcher });
    jest.useFakeTimers();
    try {
      new Drawn().draw(() => useOneStop({ current: root }));
      let taken = 0;
      heard.get('keydown')?.({ target: controls[0], preventDefault: () => taken++, ...event });
      return [focused.join(), taken];
    } finally {
      jest.useRealTimers();
      Reflect.deleteProperty(globalThis, 'MutationObserver');
    }
  };

  it('moves with arrows, Home and End, around its ends', () => {
    const keys = ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp', 'Home', 'End', 'x'];
    expect(keys.map((key) => moved({ key })[0])).toEqual(['b', 'b', 'c', 'c', 'a', 'c', '']);
  });

  it.each(['ctrlKey', 'altKey', 'metaKey'])('leaves keys with %s to the browser', (modifier) => {
    expect(moved({ key: 'ArrowLeft', [modifier]: true })).toEqual(['', 0]);
  });
});
