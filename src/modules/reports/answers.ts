import { pageOf, type Shape } from '../../event/shape';

const RUN_FIELDS = {
  runId: { kind: 'id' },
  tenantId: { kind: 'text' },
  createdAt: { kind: 'time' },
  createdBy: { kind: 'text', doc: 'The key or person that asked for it.' },
  startTime: { kind: 'time', doc: 'Start of the period, inclusive.' },
  endTime: { kind: 'time', doc: 'End of the period, exclusive.' },
  rows: { kind: 'count' },
} as const;

const RUN_LIST_ITEM = {
  name: 'ReportRunListItem',
  doc: 'A run of a report.',
  fields: RUN_FIELDS,
} as const satisfies Shape;

export const REPORT = {
  name: 'Report',
  doc: 'A report of the catalogue, with its newest runs.',
  fields: {
    reportId: { kind: 'text' },
    title: { kind: 'text' },
    about: { kind: 'text', doc: 'What it shows.' },
    needs: { kind: 'text', isList: true, doc: 'Parameters of which one must be given; empty: none.' },
    runs: { kind: 'object', isList: true, of: RUN_LIST_ITEM, doc: 'The newest runs, newest first.' },
  },
} as const satisfies Shape;

const { runs: _, ...CHOICE_FIELDS } = REPORT.fields;
export const REPORT_CHOICE = {
  name: 'ReportChoice',
  doc: 'A report of the catalogue.',
  fields: {
    ...CHOICE_FIELDS,
    formats: { kind: 'text', isList: true, doc: 'Formats of which its files may be.' },
  },
} as const satisfies Shape;

const REPORT_FILE = {
  name: 'ReportFile',
  doc: 'A file of a run.',
  fields: {
    format: { kind: 'text' },
    name: { kind: 'text' },
    bytes: { kind: 'count' },
    sha256: { kind: 'text', doc: 'In hexadecimal.' },
  },
} as const satisfies Shape;

export const REPORT_RUN = {
  name: 'ReportRun',
  doc: 'A run of a report: a frozen snapshot, whose files have the same bytes for ever.',
  fields: {
    ...RUN_FIELDS,
    reportId: { kind: 'text' },
    title: { kind: 'text' },
    timeZone: { kind: 'text' },
    number: { kind: 'count', doc: "Number among the tenant's runs, from 1." },
    expiresAt: { kind: 'time', doc: 'From then on its files may be removed.' },
    logSize: { kind: 'count', doc: 'Entries of the evidence log when it was made.' },
    files: { kind: 'object', isList: true, of: REPORT_FILE, doc: 'Empty: they were removed.' },
    manifest: { kind: 'text', doc: 'What is signed of the run: JSON.' },
    note: { kind: 'text', doc: 'A signed note with the SHA-256 of the manifest.' },
    publicKey: { kind: 'text', doc: "The service's key, which signed the note." },
  },
} as const satisfies Shape;

export const REPORT_PAGE = pageOf('ReportPage', REPORT);
