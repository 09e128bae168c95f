import {
  type Field,
  placeOf,
  problemAt,
  secretsOf,
  settingsOf,
  valuesOf,
  withoutSecrets,
} from '../../dashboard/src/operate/destination-values';
import { OPERATE } from '../../dashboard/src/operate/texts';
import { declaredTypes } from '../../src/modules/destinations/declared-types';

const fieldsOf = (type: string): readonly Field[] =>
  declaredTypes().find((one) => one.type === type)?.fields ?? [];
const webhook = fieldsOf('webhook');

describe('the form of a destination', () => {
  it('sends only settings that differ, and null for one that was emptied', () => {
    const splunk = fieldsOf('splunk-hec');
    const fresh = valuesOf(splunk, {});
    expect(fresh).toMatchObject({ acknowledge: false, index: '', sourcetype: '', token: '' });
    expect(settingsOf(splunk, fresh, fresh)).toBeNull();
    expect(settingsOf(splunk, { ...fresh, index: 'i', omitEmpty: true }, fresh)).toEqual({
      index: 'i',
      omitEmpty: true,
    });
    const stored = valuesOf(splunk, { index: 'i', acknowledge: true, sourcetype: 't', ca: 'given' });
    expect(stored).toMatchObject({ index: 'i', acknowledge: true, ca: '' });
    expect(settingsOf(splunk, { ...stored, index: '', acknowledge: false }, stored)).toEqual({
      index: null,
      acknowledge: false,
    });
  });

  it('shows a switch as it was set, and as it is by default where nobody set it', () => {
    const on = { name: 'on', kind: 'switch', default: 'true', isSecret: false } as unknown as Field;
    const off = { ...on, name: 'off', default: 'false' };
    expect(valuesOf([on, off], {})).toEqual({ on: true, off: false });
    expect(valuesOf([on, off], { on: false, off: true })).toEqual({ on: false, off: true });
  });

  it('keeps no secret of any type while somebody signs in again, and every other value', () => {
    let secrets = 0;
    for (const { type, fields } of declaredTypes()) {
      const typed = Object.fromEntries(fields.map(({ name }) => [name, `typed ${name}`]));
      const kept = withoutSecrets(fields, typed);
      for (const { name, isSecret } of fields) {
        secrets += Number(isSecret);
        expect([type, name, kept[name]]).toEqual([type, name, isSecret ? '' : `typed ${name}`]);
      }
    }
    expect(secrets).toBeGreaterThan(9);
  });

  it('sends the secrets that are filled in, with headers as names and values', () => {
    const values = { ...valuesOf(webhook, {}), headers: 'Authorization: Bearer a:b\n\n X-Team : blue ' };
    expect(secretsOf(webhook, values, OPERATE)).toEqual({
      headers: { Authorization: 'Bearer a:b', 'X-Team': 'blue' },
    });
    expect(secretsOf(webhook, valuesOf(webhook, {}), OPERATE)).toBeNull();
    expect(() => secretsOf(webhook, { headers: 'no colon' }, OPERATE)).toThrow(
      'each line must be Name: value',
    );
    expect(() => secretsOf(webhook, { headers: ': no name' }, OPERATE)).toThrow(
      'each line must be Name: value',
    );
    expect(() => secretsOf(webhook, { headers: 'A: 1\na: 2' }, OPERATE)).toThrow('a is there twice');
  });

  it('shows what the service says of a field, or of a part of it, beside the field', () => {
    const places = webhook.map(placeOf);
    expect(places).toContain('secrets.headers');
    const problems = { 'secrets.headers.Host': 'is a header …', url: 'must begin …' };
    expect(problemAt(problems, 'secrets.headers')).toBe('is a header …');
    expect(problemAt(problems, 'secrets.header')).toBeUndefined();
    expect(problemAt(problems, 'url')).toBe('must begin …');
  });
});
