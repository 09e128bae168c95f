/** The address of an alert's page, as the browser shows it. */
export const hrefOfAlert = (alertId: string): string => `/dashboard/alerts/${alertId}`;
