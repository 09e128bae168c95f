import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  currentOf,
  NO_PACKAGE,
  UpdateFile,
  type UpdateState,
  withoutCurrent,
  withoutOlder,
  withProved,
} from '../../../agent/update/update-state';
import { AGENT_BUILD, AGENT_VERSION } from '../../../agent/version';
import { compareVersions } from '../../../src/event/agent-package';

const kept = (name: string) =>
  ({ sha256: name, version: '1.0.0' }) as unknown as NonNullable<UpdateState['trial']>;
const namesOf = ({ trial, installed, before, ended }: UpdateState) => [
  ...[trial, installed, before].map((one) => one?.sha256 ?? null),
  ended.map(({ sha256 }) => sha256),
];

describe('the packages of an agent', () => {
  it('fall back to those before: from the trial to the installed one, and from that to the one before', () => {
    const all = { ...NO_PACKAGE, trial: kept('t'), installed: kept('i'), before: kept('b'), starts: 3 };
    const [first, second, third] = [1, 2, 3].map((n) =>
      Array.from({ length: n }).reduce<UpdateState>((state) => withoutCurrent(state, 'why'), all),
    ) as [UpdateState, UpdateState, UpdateState];
    expect(namesOf(first)).toEqual([null, 'i', 'b', ['t']]);
    expect(namesOf(second)).toEqual([null, 'b', null, ['t', 'i']]);
    expect(namesOf(third)).toEqual([null, null, null, ['t', 'i', 'b']]);
    expect([first.starts, currentOf(third), withoutCurrent(third, 'why')]).toEqual([0, null, third]);
  });

  it('are none where their file cannot be read: the installed agent starts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'audit-updates-'));
    mkdirSync(join(folder, 'updates', 'state.json'), { recursive: true });
    expect(await new UpdateFile(folder).load()).toBe(NO_PACKAGE);
    rmSync(folder, { recursive: true });
  });

  it('remember the 20 newest that ended', () => {
    let state: UpdateState = NO_PACKAGE;
    for (let n = 0; n < 22; n++) state = withoutCurrent({ ...state, trial: kept(String(n)) }, 'why');
    expect(state.ended.map(({ sha256 }) => sha256)).toEqual(
      Array.from({ length: 20 }, (_, i) => String(i + 2)),
    );
  });

  it('are proved when the service acknowledged something: the trial takes the place of the installed one', () => {
    const trial = { ...NO_PACKAGE, trial: kept('t'), installed: kept('i'), before: kept('b'), starts: 3 };
    expect(namesOf(withProved(trial))).toEqual([null, 't', 'i', []]);
    expect(withProved({ ...trial, trial: null })).toEqual({ ...trial, trial: null, starts: 0 });
  });

  it('give way to an installation of the same version or a newer one that came after them', () => {
    const own = { version: AGENT_VERSION, build: AGENT_BUILD };
    const older = { ...own, version: '0.0.0' };
    const one = (name: string, version: object, over: object) =>
      ({ ...kept(name), ...version, over }) as never;
    const state = {
      ...NO_PACKAGE,
      trial: one('newer', { ...own, version: '999.0.0' }, older),
      installed: one('same', own, older),
      before: one('older', older, own),
    };
    expect(namesOf(withoutOlder(state))).toEqual(['newer', null, 'older', []]);
  });

  it('are newer by their numbers first, and by their builds where both state one', () => {
    const compared = (a: [string, number | null], b: [string, number | null]) =>
      Math.sign(compareVersions({ version: a[0], build: a[1] }, { version: b[0], build: b[1] }));
    expect([
      compared(['1.10.0', 1], ['1.9.9', 2]),
      compared(['1.2.3+g1', 1], ['1.2.3+g2', 2]),
      compared(['1.2.3', 5], ['1.2.3', 5]),
      compared(['1.2.3', null], ['1.2.3', 5]),
      compared(['1.2.3', 5], ['1.2.3', null]),
    ]).toEqual([1, -1, 0, 0, 0]);
  });
});
