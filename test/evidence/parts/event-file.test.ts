import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FIELD_NAMES } from '../../../src/event/fields';
import { endCountOf, eventsIn } from '../../../src/modules/evidence/verify/event-file';
import { temporaryFolder } from '../../support/engines';

const line = (n: number, tenantId = '1') =>
  JSON.stringify({
    ...Object.fromEntries(FIELD_NAMES.map((name) => [name, null])),
    recordId: `019638ac-eaee-8246-a524-${String(n).padStart(12, '0')}`,
    tenantId,
    additional: {},
  });
const end = (count: number) => JSON.stringify({ end: { count } });

describe('a file of exported events', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function written(...lines: string[]): Promise<string> {
    const file = path.join(folder, 'events.ndjson');
    await writeFile(file, lines.map((text) => `${text}\n`).join(''));
    return file;
  }
  const count = async (file: string) => {
    let events = 0;
    for await (const _ of eventsIn(file, '1')) events++;
    return events;
  };

  it('may be an export with a last line, one without, or several exports one after the other', async () => {
    expect(await count(await written(line(1), line(2)))).toBe(2);
    expect(await count(await written(line(1), line(2), end(2)))).toBe(2);
    expect(await count(await written(line(1), end(1), line(2), line(3), end(2), end(0)))).toBe(3);
  });

  it('may have events of other tenants, which are left out', async () => {
    expect(await count(await written(line(1), line(2, '2'), line(3, '11'), end(3)))).toBe(1);
  });

  it('has the count that its last line states, or none if its last line states none', async () => {
    expect(await endCountOf(await written(line(1), end(1)))).toBe(1);
    expect(await endCountOf(await written(end(0)))).toBe(0);
    for (const lines of [[], [line(1)], [end(0), line(1)], [line(1), '{"end":{}}']])
      expect(await endCountOf(await written(...lines))).toBeNull();
  });
});
