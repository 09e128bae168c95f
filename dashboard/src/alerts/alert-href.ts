/** The address of an alert's page, as a browser has it. */
export const hrefOfAlert = (alertId: string): string => `/dashboard/alerts/${alertId}`;
