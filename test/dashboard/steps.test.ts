import { sourcesOf } from '../support/imports';

type Navigate = (options: { replace: boolean; state: unknown }) => void;
const { isOwnDrawer, stepOf, take } = jest.requireActual<{
  isOwnDrawer: (state: unknown) => boolean;
  stepOf: (was: string | null, is: string | null, isOwn: boolean) => string;
  take: (step: string, navigate: Navigate) => void;
}>('../../dashboard/src/lib/drawer-step');
type Texts = Readonly<Record<string, string | null>>;
interface Address {
  readonly parse: (search: string) => Texts;
  readonly format: (state: Texts) => string;
}
const { stepBetween, textsAddress } = jest.requireActual<{
  stepBetween: (address: Address, now: Texts, next: Texts, isOwn: boolean) => string;
  textsAddress: (names: readonly string[], drawer?: string) => Address;
}>('../../dashboard/src/lib/address');
const { opensRow } = jest.requireActual<{ opensRow: (selection: object | null) => boolean }>(
  '../../dashboard/src/lib/row-click',
);

describe('the history of a page with a drawer', () => {
  /** A history as browsers keep it. */
  class FakeHistory {
    readonly steps: { address: string | null; state: unknown }[] = [{ address: null, state: null }];
    at = 0;
    readonly #listeners: (() => void)[] = [];

    get state() {
      return this.steps[this.at]?.state;
    }
    get drawer() {
      return this.steps[this.at]?.address ?? null;
    }
    back() {
      this.at -= 1;
    }
    arrive() {
      for (const listener of this.#listeners.splice(0)) listener();
    }
    listen = (_: string, listener: () => void) => this.#listeners.push(listener);
    show(drawer: string | null) {
      take(stepOf(this.drawer, drawer, isOwnDrawer(this.state)), ({ replace, state }) => {
        if (!replace) this.steps.splice(++this.at);
        this.steps[this.at] = { address: drawer, state };
      });
    }
  }
  const opened = () => {
    const history = new FakeHistory();
    Object.assign(globalThis, { history, addEventListener: history.listen });
    return history;
  };
  afterEach(() => {
    for (const name of ['history', 'addEventListener']) Reflect.deleteProperty(globalThis, name);
  });

  it('has one step for the open drawer, which closing takes back', () => {
    const history = opened();
    for (const event of ['a', 'b', 'c']) history.show(event);
    expect([history.at, history.drawer]).toEqual([1, 'c']);
    history.show(null);
    history.arrive();
    expect([history.at, history.drawer]).toEqual([0, null]);
    history.show('d');
    expect([history.at, history.steps.length]).toEqual([1, 2]);
  });

  it('goes back once when a drawer is closed twice before the browser is back', () => {
    const history = opened();
    history.show('a');
    const back = jest.spyOn(history, 'back').mockImplementation(() => {});
    history.show(null);
    history.show(null);
    expect(back).toHaveBeenCalledTimes(1);
    history.arrive();
    history.show(null);
    expect(back).toHaveBeenCalledTimes(2);
    history.arrive();
  });

  it('stays on its step when a drawer is closed that a link has opened', () => {
    const history = opened();
    history.steps[0] = { address: 'linked', state: null };
    history.show('next');
    history.show(null);
    expect([history.at, history.steps]).toEqual([0, [{ address: null, state: null }]]);
  });
});

describe('a click on a row', () => {
  it.each([
    ['nothing is selected', null, true],
    ['the caret is in it', { isCollapsed: true, toString: () => '' }, true],
    ['a blank is selected', { isCollapsed: false, toString: () => ' \n' }, true],
    ['text is selected', { isCollapsed: false, toString: () => 'CORP\\svc' }, false],
  ])('where %s opens it: %#', (_, selection, opens) => {
    expect(opensRow(selection)).toBe(opens);
  });
});

describe('a view in the address', () => {
  const address = textsAddress(['a', 'drawer'], 'drawer');
  const step = (now: Texts, next: Texts, isOwn = false, of = address) => stepBetween(of, now, next, isOwn);

  it('of texts is the same again when it is read; other parameters and empty ones are left out', () => {
    const shown = { a: 'x & y', drawer: null };
    expect(address.format(shown)).toBe('a=x+%26+y');
    expect(address.parse('?a=x+%26+y&drawer=&other=1')).toEqual(shown);
    expect(address.format({ a: null, drawer: null })).toBe('');
  });

  it('makes a step of the history of each change, and of a drawer one for as long as it is open', () => {
    const closed = { a: '1', drawer: null };
    const open = { a: '1', drawer: 'r' };
    expect([
      step(closed, open),
      step(open, { ...open, drawer: 's' }),
      step(open, closed, true),
      step(open, closed, false),
      step(open, { a: '2', drawer: null }, true),
      step(closed, { ...closed, a: '2' }),
      step(closed, open, false, textsAddress(['a', 'drawer'])),
    ]).toEqual(['open', 'replace', 'back', 'replace', 'push', 'push', 'push']);
  });

  it('is kept there in one way, and a question is asked anew in one way', () => {
    const sources = sourcesOf('dashboard/src');
    const having = (text: string) => sources.filter((s) => s.text.includes(text)).map(({ file }) => file);
    expect(having('useSearch')).toEqual(['dashboard/src/lib/use-address.ts']);
    expect(having('lint/correctness/useExhaustiveDependencies')).toEqual([]);
  });
});
