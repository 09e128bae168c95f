import {
  packageText,
  type Source,
  STATE_ORDER,
  settingsText,
  summaryOf,
} from '../../dashboard/src/sources/source-state';
import { SOURCES } from '../../dashboard/src/sources/texts';

it('all sources are told in one line, by their states', () => {
  const states = [
    { state: 'stale', sources: 3 },
    { state: 'current', sources: 1_997 },
  ] as const;
  expect(summaryOf([...states], SOURCES)).toBe('2,000 sources: 3 stale, 1,997 current');
});

it('the states of sources are offered from the worst on', () => {
  expect(STATE_ORDER).toEqual(['stale', 'problem', 'lagging', 'gaps', 'current', 'standby', 'retired']);
});

describe('a source', () => {
  const source = (of: Partial<Source>) =>
    ({
      agentGroup: 'prod',
      wantedVersion: 3,
      runningVersion: 2,
      refusedSettings: [],
      followsSettings: false,
      wantedPackage: null,
      packageState: null,
      ...of,
    }) as Source;

  it('tells how its agent follows the settings of its group', () => {
    const followed = settingsText(source({ followsSettings: true, runningVersion: 3 }), SOURCES);
    const behind = settingsText(source({}), SOURCES);
    const refused = settingsText(source({ refusedSettings: ['logLevel'] }), SOURCES);
    expect(followed).toBe(SOURCES.follows(SOURCES.ofGroup('prod'), 3));
    expect(behind).toBe(SOURCES.followsNot(SOURCES.ofGroup('prod'), '3', '2'));
    expect(refused).toBe(`${behind}${SOURCES.refuses('logLevel')}`);
    // An agent that has the version and refuses a setting of it does not follow.
    const partly = source({ runningVersion: 3, refusedSettings: ['logLevel'] });
    const apart = SOURCES.followsNot(SOURCES.ofGroup('prod'), '3', '3');
    expect(settingsText(partly, SOURCES)).toBe(`${apart}${SOURCES.refuses('logLevel')}`);
    expect(settingsText(source({ agentGroup: null, wantedVersion: null }), SOURCES)).toBe(
      SOURCES.followsNot(SOURCES.noGroup, SOURCES.noVersion, '2'),
    );
    // Without a group there is no version to follow.
    const left = source({ agentGroup: null, wantedVersion: null, followsSettings: true });
    expect(settingsText(left, SOURCES)).toBe(SOURCES.followsNot(SOURCES.noGroup, SOURCES.noVersion, '2'));
    expect(settingsText(source({ agentGroup: null, runningVersion: null }), SOURCES)).toBeNull();
  });

  it('tells how far the package is that its agent is offered', () => {
    expect(packageText(source({}), SOURCES)).toBeNull();
    expect(packageText(source({ wantedPackage: '1.2.0' }), SOURCES)).toBeNull();
    const trial = source({ wantedPackage: '1.2.0', packageState: 'TRIAL' });
    expect(packageText(trial, SOURCES)).toBe(SOURCES.ofPackage('1.2.0', SOURCES.TRIAL));
  });
});
