/** The texts of the sign-in. */
export const SIGN_IN = {
  noRole: 'Your account has no role here. Ask an operator to give it one.',
  noTenants: 'Your account may read no tenant yet. Ask an operator to name its tenants.',
  cancelled: 'The sign-in was cancelled.',
  failed: 'The sign-in did not succeed. Try again.',
  enterKey: 'Enter a key.',
  invalidKey: 'This key is not valid here: mistyped, expired or revoked.',
  over: 'The session has ended. Sign in again to go on.',
  key: 'Key',
  aboutKey: 'An API key shows the events of its tenants; an operator key manages tenants and keys.',
  signIn: 'Sign in',
  or: 'or',
  organisation: 'Sign in with your organisation',
  firstKey: (file: string) =>
    `This service is new. Its first key is an operator key, in the file ${file} on the machine of the service. Sign in with it; what to do next is said there.`,
  noKey: (command: string) => `No key? An operator makes one here under Keys, or with ${command}.`,
} as const;
