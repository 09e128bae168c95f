import { StoreError } from '../objects/store-error';
import type { StoreAnswer } from '../objects/store-http';
import { xmlText } from '../objects/xml';

export const azureCode = ({ body, headers }: StoreAnswer): string =>
  String(headers['x-ms-error-code'] ?? '') || xmlText(body.toString('utf8'), 'Code');

/**
 * Why Azure refuses a request. The text repeats nothing that the request had, and is the same each time.
 * @param isSasOver whether the request had a SAS token whose end is past
 */
export function azureError(answer: StoreAnswer, isSasOver: boolean): StoreError {
  const code = azureCode(answer);
  const detail = xmlText(answer.body.toString('utf8'), 'AuthenticationErrorDetail');
  const isOfTime = code === 'AuthenticationFailed' && /time frame|expired|expiry/i.test(detail);
  const isRefused = isOfTime || (isSasOver && answer.status === 403);
  const told = isRefused ? `the SAS token has expired, or is not valid yet (${code})` : TEXTS[code];
  return new StoreError(told ?? `the store refuses the request (${code || `HTTP ${answer.status}`})`);
}

const TEXTS: Readonly<Record<string, string>> = {
  AuthenticationFailed:
    'the account key or SAS token is wrong, or the clock of this host (AuthenticationFailed)',
  InvalidAuthenticationInfo:
    'the store refuses the credentials: the account key or SAS token is wrong, the token is of another directory, or the clock is wrong (InvalidAuthenticationInfo)',
  NoAuthenticationInformation: 'the store wants credentials (NoAuthenticationInformation)',
  AuthorizationPermissionMismatch:
    'the store denies access: give the identity the role Storage Blob Data Reader, or the SAS token the rights r and l (AuthorizationPermissionMismatch)',
  AuthorizationFailure:
    'the store denies access: the account key or SAS token is wrong or lacks rights, or network rules of the account forbid it (AuthorizationFailure)',
  KeyBasedAuthenticationNotPermitted:
    'the account permits no account key: use an identity of Microsoft Entra (KeyBasedAuthenticationNotPermitted)',
  ContainerNotFound: 'there is no such container (ContainerNotFound)',
  AccountIsDisabled: 'the account is disabled (AccountIsDisabled)',
  BlobArchived: 'the blob is in the archive tier: rehydrate it there (BlobArchived)',
};
