import { counted } from '../lib/numbers';

/** The texts of the first run and of new agents. */
export const FIRST_RUN = {
  system: 'System of the database host',
  howMany: 'How many hosts',
  oneHost: 'One host',
  manyHosts: 'Many hosts',
  tenantOfEvents: 'Tenant of its events',
  nameOfSource: 'Name of the source',
  asYouKnow: 'As you will know it here.',
  auditFiles: 'Audit files',
  fullPath: 'Full path; * for any part of a name.',
  hasKey:
    'This is agent.json. It has the key, which is shown only now: save it on the host, where the package of the agent lies.',
  hasToken:
    'This is agent.json. It has the token, which is shown only now: save it on the host, where the package of the agent lies.',
  configuration: 'Configuration of the agent',
  asAdministrator: 'Then run there, as administrator. The host must reach',
  asRoot: 'Then run there, as root. The host must reach',
  commands: 'Commands',
  makeKey: 'Make the key of the agent',
  makeToken: (hosts: number, days: number) => `Make a token for up to ${hosts} hosts, ${days} days`,
  saveAs: (file: string) => `Save as ${file}`,
  firstSteps: 'First steps',
  operatorKey: 'Operator key',
  signedIn: 'You are signed in with one. Keep its file where no other person reads it.',
  agent: 'Agent',
  aboutAgent: 'The program on the database host that reads the audit files. It needs a tenant first.',
  analystKey: 'Key of an analyst',
  aboutAnalyst: 'Operators read no events: an analyst needs a key. It needs a tenant first.',
  sampleData: 'Sample data, if no SQL Server is at hand',
  done: ', done',
  waiting: 'Waiting for the first report …',
  received: (time: string, host: string, database: string, events: number) =>
    `Received ${time} from ${host}, ${database}: ${events > 0 ? counted(events, 'event') : 'no event yet'}`,
  nameOfTenant: 'Name of the tenant',
  whoseEvents: 'Whose events these are: a company or a part of it. No event crosses to another.',
  makeTenant: 'Make the tenant',
  whoeverSignsIn: 'Whoever signs in here with it sees the events.',
  keyReads: 'Operators read no events. This key reads events, alerts, controls and reports here.',
  makeAnalyst: 'Make a key of an analyst',
  aboutSamples:
    'A checkout of the source has audit files of April 2025. Their events stay in the log of their tenant for good, so they get a tenant of their own.',
  makeSample: 'Make the tenant Sample and its command',
  sampleCommand: 'Command for sample data, in the folder of the checkout',
} as const;
