import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SOURCE = path.resolve(__dirname, '../../dashboard/src');
/** The states of forms that hold nothing typed: what a form began with, what unfolds, what is told, a key shown once. */
const NOTHING_TYPED = [
  'compliance/scope.tsx: ending',
  'operate/destination-form.tsx: isMoreOpen',
  'operate/destination-form.tsx: began',
  'operate/destinations.tsx: secret',
  'operate/keys.tsx: made',
  'operate/tenants.tsx: verified',
  'reports/schedules.tsx: said',
];

describe('forms', () => {
  it('keep what is typed in them while somebody signs in again', () => {
    const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' });
    const forms = files
      .filter((file) => file.endsWith('.tsx') && file !== path.join('lib', 'form-dialog.tsx'))
      .map((file) => ({ file, text: readFileSync(path.join(SOURCE, file), 'utf8') }))
      .filter(({ text }) => text.includes('<FormDialog'));
    expect(forms.length).toBeGreaterThan(15);
    const states = forms.flatMap(({ file, text }) =>
      [...text.matchAll(/const \[(\w+)[^=]*= useState\b(?!<Error|<readonly LineProblem)/g)].map(
        ([, name]) => `${file.replaceAll('\\', '/')}: ${name}`,
      ),
    );
    expect(states.toSorted()).toEqual(NOTHING_TYPED.toSorted());
  });
});
