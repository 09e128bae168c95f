const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
const { suites } = require('./long-suites.json');

const ROOT = path.resolve(__dirname, '../..');

/**
 * Where jest does not know how long files took, as on a clean checkout, it begins with the largest files. Groups of suites
 * and suites of many cases are small files that take longest: begun last, they would leave a core idle at the end.
 */
class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const takesLong = (test) =>
      test.path.includes('.setup') || path.relative(ROOT, test.path).replaceAll(path.sep, '/') in suites;
    return [...sorted.filter(takesLong), ...sorted.filter((test) => !takesLong(test))];
  }
}

module.exports = LongestFirst;
