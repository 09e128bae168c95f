/** What the page says of failures itself, and what to do: hints by the code of a failure. */
export const ERRORS = {
  unreachable: 'The service cannot be reached.',
  noAnswer: 'The service gave no answer.',
  otherVersion: 'The service has another version than this page.',
  service_unavailable: 'Choose a shorter time range or fewer filters, or try again shortly.',
  rate_limited: 'Wait that long, then try again.',
  forbidden: 'Sign in with a key that may do this.',
  unauthorized: 'The session has ended. Sign in again.',
  internal_error: 'Try again; if it happens again, tell the operator the request below.',
  other_version:
    'Reload the page. While the service is being upgraded, that may be necessary more than once. The view stays.',
  offline: 'Check that the service is running and that the network works, then try again.',
} as const;
