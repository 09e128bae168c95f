import { StoreError } from '../objects/store-error';
import type { StoreAnswer } from '../objects/store-http';
import { xmlText } from '../objects/xml';

const OF_CREDENTIALS = ['ExpiredToken', 'ExpiredTokenException', 'InvalidToken', 'TokenRefreshRequired'];

const codeOf = ({ body }: StoreAnswer): string => xmlText(body.toString('utf8'), 'Code');

/** Whether the store refuses the credentials themselves, in place of which there may be others now. */
export const isOfCredentials = (answer: StoreAnswer): boolean => OF_CREDENTIALS.includes(codeOf(answer));

/** Why S3 refuses a request. The text repeats nothing that the request had, and is the same each time. */
export function s3Error(answer: StoreAnswer, bucket: string): StoreError {
  const code = codeOf(answer);
  const message = xmlText(answer.body.toString('utf8'), 'Message');
  const told = textOf(code, message, answer, bucket);
  return new StoreError(told ?? `the store refuses the request (${code || `HTTP ${answer.status}`})`);
}

function textOf(code: string, message: string, { headers, body, status }: StoreAnswer, bucket: string) {
  const xml = body.toString('utf8');
  const region = String(headers['x-amz-bucket-region'] ?? '') || xmlText(xml, 'Region');
  const isElsewhere =
    [
      'PermanentRedirect',
      'TemporaryRedirect',
      'AuthorizationHeaderMalformed',
      'IllegalLocationConstraintException',
    ].includes(code) ||
    (status >= 300 && status < 400);
  if (OF_CREDENTIALS.includes(code)) return `the credentials have expired (${code}): renew them`;
  if (isElsewhere)
    return `wrong region: the bucket ${bucket} is in ${region || 'another one'}; correct S3.Region (${code || `HTTP ${status}`})`;
  if (code === 'AccessDenied' && /kms/i.test(message))
    return 'the key of KMS is denied: permit the identity kms:Decrypt (AccessDenied)';
  return TEXTS[code] ?? (status === 403 ? TEXTS.AccessDenied : undefined);
}

const TEXTS: Readonly<Record<string, string>> = {
  AccessDenied:
    'the store denies access: permit s3:ListBucket on the bucket and s3:GetObject on its objects (AccessDenied)',
  InvalidAccessKeyId: 'the store does not know the access key (InvalidAccessKeyId)',
  SignatureDoesNotMatch: 'the secret access key is wrong (SignatureDoesNotMatch)',
  RequestTimeTooSkewed: 'the clock of this host is wrong (RequestTimeTooSkewed)',
  NoSuchBucket: 'there is no such bucket (NoSuchBucket)',
  InvalidObjectState: 'the object is in an archive class: restore it there (InvalidObjectState)',
  'KMS.DisabledException': 'the key of KMS is disabled (KMS.DisabledException)',
};
