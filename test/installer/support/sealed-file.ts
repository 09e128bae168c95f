/**
 * A program for the folder of a release: it makes a file of one event with the library that the release has, reads it
 * back, and prints how often it found the event. Arguments: the release's folder, a folder for the file.
 */
export const MAKE_A_FILE = `
const { join } = require('node:path');
const [root, folder] = process.argv.slice(1);
const { openWorker } = require(join(root, 'dist/src/store/archive/open-worker.js'));
const id = '01941f29-7c00-7000-8000-000000000001';
const line = { record_id: id, tenant_id: 1, statement: 'SELECT 1', additional: '{}', event_us: 1736000000000000, position: 0 };
const [lines, target] = [join(folder, 'lines'), join(folder, 'a.parquet')];
require('node:fs').writeFileSync(lines, JSON.stringify(line) + '\\n');
// A service lives on without the process that is asked.
const alive = setInterval(() => {}, 1000);
const worker = openWorker({ memoryMb: 64, threads: 1, folder });
worker
  .write(lines, null, target, 1000)
  .then(() => worker.known({ tenantId: 1, paths: [target] }, [id]))
  .then((found) => console.log(found.length))
  .finally(() => worker.close().then(() => clearInterval(alive)));
`;
