const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Where jest does not know how long files took, as on a clean checkout, it begins with the largest files. Groups of suites
 * are small files that take longest: begun last, they would leave a core idle at the end.
 */
class GroupsFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isGroup = ({ path }) => path.includes('.setup');
    return [...sorted.filter(isGroup), ...sorted.filter((test) => !isGroup(test))];
  }
}

module.exports = GroupsFirst;
