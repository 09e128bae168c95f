import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { Drawn } from './support/drawn';

jest.mock('react', () => jest.requireActual('./support/drawn').REACT);
jest.mock('../../dashboard/src/lib/use-keys-preference', () => ({ useKeysPreference: () => [true] }));

type Acts = Readonly<Record<string, () => void>>;
const { actOf, useCommands } = jest.requireActual<{
  actOf: (id: string) => (() => void) | undefined;
  useCommands: (acts: Acts) => void;
}>('../../dashboard/src/lib/use-commands');

const SOURCE = path.resolve(__dirname, '../../dashboard/src');
/** Pages that listen for as long as they are there. */
const FOR_EVER = ['package-page/page.ts', 'api/attended.ts', 'lib/drawer-step.ts'];
const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(SOURCE, file), 'utf8') }));

describe('commands', () => {
  it('do what the newest component says that is shown, and nothing where none is left', () => {
    const done: string[] = [];
    const says = (name: string) => () => void done.push(name);
    const [first, second] = [new Drawn(), new Drawn()];
    first.draw(() => useCommands({ down: says('first'), up: says('first') }));
    second.draw(() => useCommands({ down: says('second') }));
    for (const id of ['down', 'up'] as const) actOf(id)?.();
    second.leave();
    actOf('down')?.();
    expect(done).toEqual(['second', 'first', 'first']);
    first.leave();
    expect([actOf('down'), actOf('up')]).toEqual([undefined, undefined]);
  });
});

describe('components', () => {
  it('end each listener and each timer that they began', () => {
    const calls = (text: string, name: string) =>
      [...text.matchAll(new RegExp(`(\\w+)\\??\\.${name}\\((\\S+), (\\w+)[,)]`, 'g'))].map(([, ...rest]) =>
        rest.join(' '),
      );
    let listeners = 0;
    for (const { file, text } of files.filter((one) => !FOR_EVER.includes(one.file))) {
      const begun = calls(text, 'addEventListener');
      listeners += begun.length;
      expect([file, calls(text, 'removeEventListener').toSorted()]).toEqual([file, begun.toSorted()]);
      const timers = [...text.matchAll(/const (\w+) = setInterval\(/g)].map(([, name]) => name);
      expect([file, timers.filter((name) => !text.includes(`clearInterval(${name})`))]).toEqual([file, []]);
      expect([file, text.match(/setInterval\(/g)?.length ?? 0]).toEqual([file, timers.length]);
    }
    expect(listeners).toBeGreaterThan(10);
  });

  it('wait for each change that they ask for, or take its refusal themselves', () => {
    let changes = 0;
    const unheard: string[] = [];
    for (const { file, text } of files) {
      const look = (node: ts.Node): void => {
        if (ts.isCallExpression(node) && node.expression.getText() === 'mutate') {
          changes++;
          const { parent } = node;
          const then =
            ts.isPropertyAccessExpression(parent) && parent.name.text === 'then' ? parent.parent : null;
          const isHeard =
            ts.isAwaitExpression(parent) ||
            (then !== null && ts.isCallExpression(then) && then.arguments.length === 2);
          if (!isHeard) unheard.push(`${file}: ${node.getText()}`);
        }
        ts.forEachChild(node, look);
      };
      look(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
    }
    expect(changes).toBeGreaterThan(20);
    expect(unheard).toEqual([]);
  });
});
