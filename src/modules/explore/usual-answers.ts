import type { Choices, Shape } from '../../event/shape';

const USUAL_KIND = {
  name: 'UsualKind',
  doc: 'How a value of an event differs from what was usual before it.',
  values: {
    FirstSeen: 'There was no such event before.',
    UncommonValue: 'Fewer than 1 in 200 events were such.',
    HighVolume: 'There were more events in this hour than twice those of any hour before.',
  },
} as const satisfies Choices;

const FILTER = {
  kind: 'text',
  doc: 'Filter of the list. With `startTime` and `endTime` it gives exactly `count` events.',
} as const;
const START = { kind: 'time', doc: 'Start of the counted period, inclusive.' } as const;
const END = { kind: 'time', doc: 'End of the counted period, exclusive.' } as const;

const USUAL_NOTE = {
  name: 'UsualNote',
  doc: 'How many events before this one were like it in some fields.',
  fields: {
    kind: {
      kind: 'choice',
      nullable: true,
      choices: USUAL_KIND,
      doc: 'Null: it is usual, or there is not enough history.',
    },
    fields: { kind: 'text', isList: true, doc: 'The fields in which they are like it.' },
    text: { kind: 'text', doc: 'The same in words.' },
    count: { kind: 'count', doc: 'Events like it before it; of HighVolume, in its hour.' },
    of: { kind: 'count', doc: 'Events that `count` is a part of; of `hour`, the most in an hour before.' },
    filter: FILTER,
    startTime: START,
    endTime: END,
  },
} as const satisfies Shape;

const USUAL_LOGIN = {
  name: 'UsualLogin',
  doc: 'A login, and how often it used the object of an event before.',
  fields: {
    serverPrincipalName: { kind: 'text', nullable: true },
    count: { kind: 'count', doc: 'Its events on the object.' },
    filter: { ...FILTER, nullable: true, doc: `${FILTER.doc} Null: no filter names these events.` },
    startTime: START,
    endTime: END,
  },
} as const satisfies Shape;

export const AUDIT_EVENT_USUAL = {
  name: 'AuditEventUsual',
  doc: 'Who normally does what an event says: counts of the 90 days before it.',
  fields: {
    recordId: { kind: 'id' },
    startTime: START,
    endTime: { kind: 'time', doc: 'The time of the event, which ends the counted period.' },
    historyDays: { kind: 'count', doc: 'Whole days of the period since the first event of the tenant.' },
    hasHistory: { kind: 'boolean', doc: 'False: not enough history. There are fewer than 14 such days.' },
    nth: { kind: 'count', doc: 'This is the nth event of its login in the period.' },
    notes: { kind: 'object', isList: true, of: USUAL_NOTE, doc: 'What is not usual comes first.' },
    objectCount: { kind: 'count', nullable: true, doc: 'Events on its object. Null: it names none.' },
    othersCount: { kind: 'count', nullable: true, doc: 'Those of other logins.' },
    objectFilter: { ...FILTER, nullable: true, doc: 'Filter of the list that gives `objectCount` events.' },
    logins: {
      kind: 'object',
      isList: true,
      of: USUAL_LOGIN,
      doc: 'The three logins with the most events on its object.',
    },
  },
} as const satisfies Shape;
