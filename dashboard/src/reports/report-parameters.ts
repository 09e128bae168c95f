/** Parameters beside period and zone, by report; others take a filter. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  'trail-health': [],
  controls: ['framework'],
};
const LABELS: Readonly<Record<string, string>> = {
  filter: 'Filter, as in Explore',
  framework: 'Framework, such as pci-dss (empty: all)',
  databaseName: 'Database',
  schemaName: 'Schema',
  objectName: 'Object',
  principalName: 'Login',
  applicationName: 'Application',
  clientIp: 'Client address',
};

/** The parameters that a form of a report asks for. @param needs those of which one must be given */
export const parametersOf = (reportId: string, needs: readonly string[]): readonly string[] =>
  PARAMETERS[reportId] ?? [...needs.filter((name) => name !== 'filter'), 'filter'];

export const labelOf = (name: string): string => LABELS[name] ?? name;
