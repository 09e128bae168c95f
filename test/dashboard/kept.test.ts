import { Drawn } from './support/drawn';

jest.mock('react', () => jest.requireActual('./support/drawn').REACT);

interface Options {
  readonly part?: (value: string) => string;
  readonly isDraft?: boolean;
}
const { beginKeeping, endKeeping, useKept } = jest.requireActual<{
  beginKeeping: (person: string) => void;
  endKeeping: (isOver: boolean) => void;
  useKept: (name: string, initial: string, options?: Options) => readonly [string, (value: string) => void];
}>('../../dashboard/src/lib/kept');

/** A form on the page. */
class Form {
  readonly #component = new Drawn();

  constructor(
    private readonly name: string,
    private readonly options: Options = {},
  ) {
    this.text = this.#draw()[0];
  }

  text: string;

  type(text: string): void {
    this.#draw()[1](text);
    this.text = this.#draw()[0];
  }

  leave(): void {
    this.#component.leave();
  }

  #draw() {
    return this.#component.draw(() => useKept(this.name, 'empty', this.options));
  }
}
/** What a form shows that is opened now. */
const textOf = (name: string, options?: Options) => new Form(name, options).text;
const DRAFT = { isDraft: true };
const onPage = (pathname: string) => Object.assign(globalThis, { location: { pathname } });

describe('what people have begun to type', () => {
  beforeEach(() => {
    onPage('/rules');
    endKeeping(false);
    beginKeeping('ann');
  });
  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'location');
  });

  /** A dialog and a draft, in which somebody has typed. */
  const typed = () => {
    const forms = [new Form('dialog'), new Form('draft', DRAFT)];
    for (const form of forms) form.type('half a sentence');
    return forms;
  };
  const texts = () => [textOf('dialog'), textOf('draft', DRAFT)];
  const end = (isOver: boolean, forms: readonly Form[]) => {
    endKeeping(isOver);
    for (const form of forms) form.leave();
  };

  it('waits where the session ends by itself, for the same person', () => {
    end(true, typed());
    beginKeeping('ann');
    expect(texts()).toEqual(['half a sentence', 'half a sentence']);
  });

  it('is found by nobody else', () => {
    end(true, typed());
    beginKeeping('bob');
    expect(texts()).toEqual(['empty', 'empty']);
  });

  it('goes when somebody signs out, drafts too', () => {
    end(false, typed());
    beginKeeping('ann');
    expect(texts()).toEqual(['empty', 'empty']);
  });

  it('stays of a draft while something else is shown, until it is as it began, and goes with a dialog', () => {
    for (const form of typed()) form.leave();
    expect(texts()).toEqual(['empty', 'half a sentence']);
    const draft = new Form('draft', DRAFT);
    draft.type('empty');
    expect(textOf('draft', DRAFT)).toBe('empty');
  });

  it('is that of its page', () => {
    typed();
    onPage('/alerts');
    expect(textOf('draft', DRAFT)).toBe('empty');
  });

  it('waits without what never may, as secrets', () => {
    const options = { part: (text: string) => text.replace(/:.*/, ''), isDraft: true };
    new Form('login', options).type('ann:secret');
    expect(textOf('login', options)).toBe('ann');
  });

  it('is forgotten once fifty others were typed since', () => {
    for (const name of ['first', 'second']) new Form(name, DRAFT).type('a');
    for (let n = 0; n < 49; n++) new Form(`other ${n}`, DRAFT).type('b');
    expect([textOf('first', DRAFT), textOf('second', DRAFT)]).toEqual(['empty', 'a']);
  });
});
