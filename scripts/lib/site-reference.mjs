import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * The pages of facts, made of the compiled code: `[path, text]` each. Metrics and words are tables of documents, which tests
 * hold to the code.
 */
export function referencePages(root) {
  const load = (file) => createRequire(import.meta.url)(join(root, 'dist', file));
  const document = (name) => readFileSync(join(root, name), 'utf8');
  return [
    ['reference/settings', settings(load('src/config.js'))],
    ['reference/commands', commands(load('src/cli/commands.js'), load('agent/cli/program.js'))],
    ['reference/errors', errors(load('src/errors.js'))],
    ['reference/metrics', metrics(document('docs/operate.md'))],
    ['reference/rules', rules(load('src/modules/detection/rules/shipped-rules.js'))],
    ['reference/words', words(document('CONTRIBUTING.md'))],
  ];
}

const page = (title, lead, ...parts) => `# ${title}\n\n${lead}\n\n${parts.join('\n\n')}\n`;

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map((cells) => line(cells.map(cell)))].join('\n');
}

const cell = (text = '') => String(text).replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
const code = (text) => `\`${text}\``;
/** A text that is no Markdown. */
const plain = (text = '') => text.replaceAll(/[<>*_[\]`\\]/g, (sign) => `\\${sign}`);

function settings({ ENVIRONMENT }) {
  const defaults = ENVIRONMENT.parse({});
  const rows = Object.entries(ENVIRONMENT.shape).map(([name, { description }]) => [
    code(name),
    defaults[name] === undefined ? '' : code(defaults[name]),
    fromDocs(description),
  ]);
  return page(
    'Settings of the service',
    'Environment variables. [Operating the service](../docs/operate.md#settings) says when to set them.',
    table(['Variable', 'Default', 'Meaning'], rows),
  );
}

/** A text of `docs/`, whose links begin there. */
const fromDocs = (text) => text.replaceAll(/\]\((?![a-z]+:)/g, '](../docs/');

function errors({ ERRORS }) {
  const rows = Object.entries(ERRORS).map(([name, { status, doc }]) => [status, code(name), doc]);
  return page(
    'Errors of the API',
    '[The API](../docs/api.md) shows the form of an error, and says what a caller does.',
    table(['Status', 'Code', 'Meaning'], rows),
  );
}

function commands({ createProgram }, { agentProgram }) {
  const programs = [createProgram({ env: {}, asJson: false }), agentProgram(() => {})];
  return page(
    'Commands',
    '[How to call them](../docs/operate.md#commands-for-operators). Each takes `--help`.',
    ...programs.flatMap((program) => [
      `## ${program.name()}`,
      plain(program.description()),
      ...leavesOf(program).map(([name, command]) => describe(name, command)),
    ]),
  );
}

/** The commands that run something, with their whole names. */
function leavesOf(command, name = command.name()) {
  const found = command.commands.flatMap((each) => leavesOf(each, `${name} ${each.name()}`));
  return found.length > 0 ? found : [[name, command]];
}

function describe(name, command) {
  const given = command.registeredArguments.map((each) => {
    const shown = each.variadic ? `${each.name()}...` : each.name();
    return [code(each.required ? `<${shown}>` : `[${shown}]`), plain(each.description)];
  });
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .map(({ flags, description, mandatory }) => [
      code(flags),
      plain(description) + (mandatory ? ' (required)' : ''),
    ]);
  const rows = [...given, ...options];
  return [
    `### ${name}`,
    plain(command.description()),
    ...(rows.length > 0 ? [table(['Option', 'Meaning'], rows)] : []),
  ].join('\n\n');
}

function metrics(text) {
  return page(
    'Metrics',
    'All have the prefix `audit_activity_`. [Operating the service](../docs/operate.md#health-metrics-alerts) says how to read them.',
    tableIn(text, '| Metric of the service |'),
    '## Background tasks',
    'They are the label `task` of `background_task_last_round_timestamp_seconds`.',
    tableIn(text, '| Background task |'),
  );
}

function rules({ readShippedRules }) {
  const shipped = [...readShippedRules().values()].sort((a, b) => a.number - b.number);
  return page(
    'Rules',
    'The rules that come with the service. [Detection](../docs/detection.md) says how they look, and how they are tuned.',
    ...shipped.map(({ rule, number }) => {
      const { title, severity, description, why, falsePositives, tags } = rule;
      const techniques = tags
        .filter((tag) => /^attack\.t\d/.test(tag))
        .map((tag) => tag.slice('attack.'.length));
      const about = [`Rule ${number}`, severity, ...techniques.map((name) => name.toUpperCase())].join(' · ');
      const others = falsePositives.map((each) => `- ${plain(each)}`).join('\n');
      return [
        `## ${plain(title)}`,
        about,
        plain(`${description.trim()} ${why.trim()}`.trim()),
        ...(others ? [`It may also be no attack:\n\n${others}`] : []),
      ].join('\n\n');
    }),
  );
}

/** The words that a reader of the other documents meets; those of the code are for developers. */
function words(text) {
  const [, section] = text.split(/^## Words$/m);
  const groups = section.split(/^(?=\*\*)/m).slice(1);
  return page(
    'Words',
    'A word has one meaning in these documents.',
    ...groups
      .filter((group) => !group.startsWith('**Questions and storage**'))
      .map((group) => group.trim().replace(/^\*\*(.+)\*\*/, '## $1')),
  );
}

function tableIn(text, head) {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith(head));
  if (from < 0) throw new Error(`no table ${head}`);
  const length = lines.slice(from).findIndex((line) => !line.startsWith('|'));
  return fromDocs(lines.slice(from, from + length).join('\n'));
}
