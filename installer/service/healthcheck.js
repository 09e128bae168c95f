// Ends with 0 while the service beside it is ready: a container has neither a shell nor curl.
const port = process.env.PORT || 8080;
fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_500) }).then(
  ({ ok }) => process.exit(ok ? 0 : 1),
  () => process.exit(1),
);
