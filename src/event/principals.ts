/** Class types of logins, which are of the server, and of users, which are of a database. */
export const LOGIN_CLASSES = ['LX', 'SL', 'WL', 'WG', 'CL', 'AL', 'XL', 'EL', 'PL'];
export const USER_CLASSES = ['US', 'SU', 'WU', 'GU', 'CU', 'AU', 'XU', 'PU'];

/** The filter that finds the logins and users that were dropped. No record says that they left their roles with that. */
export const PRINCIPAL_DROPS = `actionId:DR AND classType:(${[...LOGIN_CLASSES, ...USER_CLASSES].join(' OR ')})`;

/** What an event of `PRINCIPAL_DROPS` dropped; null: it is another event. */
export function droppedBy(event: {
  readonly actionId: string;
  readonly classType: string | null;
  readonly objectName: string | null;
}): { readonly kind: 'login' | 'user'; readonly name: string } | null {
  const { actionId, classType, objectName } = event;
  if (actionId.trim() !== 'DR' || objectName === null || classType === null) return null;
  if (LOGIN_CLASSES.includes(classType)) return { kind: 'login', name: objectName };
  return USER_CLASSES.includes(classType) ? { kind: 'user', name: objectName } : null;
}

/** The filter that finds the logins that got another name. They keep their roles. */
export const LOGIN_RENAMES = 'actionId:LGNM';

/** Whether an event is one of `LOGIN_RENAMES`. Its statement has both names. */
export const isRename = ({ actionId }: { readonly actionId: string }): boolean => actionId.trim() === 'LGNM';
