import { CST, Lexer } from 'yaml';
import { Problems, RuleRefused } from './problem';

const REFUSED: Readonly<Record<string, string>> = {
  alias: 'aliases (*name) of YAML are not supported: put the value into quotes',
  anchor: 'anchors (&name) of YAML are not supported: put the value into quotes',
  tag: 'tags (!name) of YAML are not supported: put the value into quotes',
  'explicit-key-ind': 'keys behind ? are not supported',
  'directive-line': 'directives (%) of YAML are not supported',
};
const ESCAPES = /^(?:[^\\]|\\(?:[0abtnvfre"/\\N_LPxuU\s]))*$/;

/**
 * Refuses files for which the YAML parser needs quadratic time or a deep stack, so that a small file cannot block
 * others. The scan over the tokens takes linear time.
 * @throws RuleRefused
 */
export function scanYaml(
  text: string,
  max: { readonly documents: number; readonly tokens: number; readonly depth: number },
): void {
  const problems = new Problems();
  let [line, nested, begun, documents, tokens] = [1, 0, 0, 0, 0];
  let before: string | null = null;
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token) ?? 'text';
    const reason = REFUSED[type];
    if (reason) problems.add(line, reason);
    if (type.endsWith('-start') && type.startsWith('flow')) nested += 1;
    if (type.endsWith('-end') && type.startsWith('flow') && type !== 'flow-error-end') nested -= 1;
    if (type === 'seq-item-ind' || type === 'map-value-ind') begun += nested === 0 ? 1 : 0;
    if (type === 'newline') begun = 0;
    if (type === 'doc-start') [documents, nested] = [documents + 1, 0];
    tokens += 1;
    if (documents > max.documents) problems.add(line, `the file has more than ${max.documents} documents`);
    // The parser calls itself for each nested bracket, and for each list or map that begins on the same line.
    const isTooMuch = tokens > max.tokens || nested > max.depth || begun > max.depth;
    if (isTooMuch) problems.add(line, 'the file is too large or too deep');
    if (nested < 0) problems.add(line, 'no YAML: a bracket is closed that was not opened');
    if (type === 'comma' && (before === 'comma' || before?.startsWith('flow')) && !before.endsWith('-end'))
      problems.add(line, 'no YAML: a value is missing before a comma');
    if (type.endsWith('quoted-scalar') && before?.endsWith('quoted-scalar'))
      problems.add(line, 'no YAML: a quoted text follows on another');
    if (type === 'double-quoted-scalar' && !ESCAPES.test(token))
      problems.add(line, 'no YAML: a text in double quotes has an unknown escape sequence');
    if (isTooMuch || documents > max.documents || nested < 0 || problems.isFull) break;
    for (let at = token.indexOf('\n'); at >= 0; at = token.indexOf('\n', at + 1)) line += 1;
    // A quoted text that begins a line may be the next key.
    if (type === 'newline' && before?.endsWith('quoted-scalar')) before = null;
    if (type !== 'space' && type !== 'newline' && type !== 'comment') before = type;
  }
  if (problems.found.length > 0) throw new RuleRefused(problems.found);
}
