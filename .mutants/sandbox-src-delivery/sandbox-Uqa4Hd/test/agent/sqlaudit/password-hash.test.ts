import { withoutPasswordHash } from '../../../agent/sqlaudit/password-hash';
import { toRawEvent } from '../../../agent/sqlaudit/raw-event';
import { RecordJoiner } from '../../../agent/sqlaudit/record-joiner';
import { fixtureFile } from './support/fixtures';
import { eventsOfRows, partsOf, splitRow } from './support/parts';
import { AuditFileWriter, type Row } from './support/sqlaudit-writer';

const SECRET = '0xC0FFEE';
const whole = (text: string) => withoutPasswordHash(text, { isFragment: false });

describe('the password hash of a failed login', () => {
  it.each([
    ['an element', `<a/><PasswordFirstNibbleHash>${SECRET}</PasswordFirstNibbleHash><b/>`, '<a/><b/>'],
    ['any case', `<a/><passwordfirstNIBBLEhash>${SECRET}</PASSWORDFIRSTNIBBLEHASH ><b/>`, '<a/><b/>'],
    [
      'attributes',
      `<a/><PasswordFirstNibbleHash n='1' v="${SECRET}">${SECRET}</PasswordFirstNibbleHash>`,
      '<a/>',
    ],
    ['a value in an attribute only', `<a/><PasswordFirstNibbleHash v="${SECRET}"/><b/>`, '<a/><b/>'],
    ['a namespace', `<a/><x:PasswordFirstNibbleHash>${SECRET}</x:PasswordFirstNibbleHash><b/>`, '<a/><b/>'],
    ['an empty element', '<a/><PasswordFirstNibbleHash /><b/>', '<a/><b/>'],
    ['lines', `<a/><PasswordFirstNibbleHash\n>\n${SECRET}\n</PasswordFirstNibbleHash>`, '<a/>'],
    ['no end', `<a/><PasswordFirstNibbleHash>${SECRET}</b>`, '<a/>'],
    ['no end of its start', `<a/><PasswordFirstNibbleHash v="${SECRET}`, '<a/>'],
    ['two', `<PasswordFirstNibbleHash>${SECRET}</PasswordFirstNibbleHash><b/>`.repeat(2), '<b/><b/>'],
  ])('is removed from a text with %s', (_, text, expected) => {
    expect(whole(text)).toBe(expected);
  });

  it('is all that is removed: other text is unchanged', () => {
    const text = '<action_info><PasswordFirst>1</PasswordFirst><error>0x00004818</error></action_info>';
    expect(whole(text)).toBe(text);
  });

  it('is looked for in linear time, even in a text made to be slow', () => {
    const start = process.cpuUsage();
    for (const unit of ['<', '<a:', '</PasswordFirstNibbleHash ', '<PasswordFirstNibbleHash', ' ', '<a']) {
      whole(unit.repeat(20_000));
      withoutPasswordHash(unit.repeat(20_000), { isFragment: true });
    }
    expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
  });
});

describe('the password hash in a text that is split over parts', () => {
  const element = `<PasswordFirstNibbleHash>${SECRET}</PasswordFirstNibbleHash>`;
  const row: Row = { action_id: 'LGIF', session_id: 51 };
  /** The rows of a record whose text is split at this place in or beside the element. */
  const rowsCutAt = (at: number) => {
    const before = `<i>${'y'.repeat(4000 - 3 - at)}`;
    return splitRow({ ...row, additional_information: `${before}${element}<b>ok</b></i>` });
  };
  const seams = [...Array(element.length + 2).keys()];

  it('is gone after joining', () => {
    for (const at of seams) {
      const joiner = new RecordJoiner();
      const records = partsOf(rowsCutAt(at)).flatMap((part) => joiner.push(part));
      expect(records).toHaveLength(1);
      expect(records[0]?.additional.additionalInformation).toMatch(/^<i>y+<b>ok<\/b><\/i>$/);
    }
  });

  it('does not leak from parts that were not joined, nor from raw events', () => {
    const writer = AuditFileWriter.from(fixtureFile('schema-2022'));
    for (const at of seams) {
      const rows = rowsCutAt(at);
      const alone = partsOf(rows).flatMap((part) => {
        const joiner = new RecordJoiner();
        return [...joiner.push(part), ...joiner.flush()];
      });
      const raw = eventsOfRows(writer, rows).map(toRawEvent);
      for (const text of [JSON.stringify(alone), JSON.stringify(raw)]) {
        expect(text).not.toContain(SECRET.slice(0, 4));
        expect(text).not.toContain(SECRET.slice(-4));
      }
      expect(alone).toHaveLength(2);
    }
  });
});
