import {
  Alert,
  Button,
  Center,
  Code,
  Divider,
  Paper,
  PasswordInput,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { describeError } from '../api/errors';
import { loadSignInWays, openIdPath, type Session, type SignInWays, signIn } from '../api/session';
import { NameMark } from '../shell/name-mark';

/** Why a sign-in by OpenID Connect failed. */
const REFUSALS: Record<string, string> = {
  no_role: 'Your account has no role here. Ask an operator to give it one.',
  no_tenants: 'Your account may read no tenant yet. Ask an operator to name its tenants.',
  cancelled: 'The sign-in was cancelled.',
  failed: 'The sign-in did not succeed. Try again.',
};

export function SignIn(props: { readonly isOver: boolean; readonly onSignedIn: (session: Session) => void }) {
  const refused = new URLSearchParams(location.search).get('refused');
  const [problem, setProblem] = useState(refused ? (REFUSALS[refused] ?? REFUSALS.failed) : undefined);
  const [isBusy, setIsBusy] = useState(false);
  const [ways, setWays] = useState<SignInWays | null>(null);
  useEffect(() => {
    // If this request fails, signing in fails too and shows the error.
    loadSignInWays().then(setWays, () => setWays(null));
  }, []);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget).get('key') ?? '').trim();
    if (!key) return setProblem('Enter a key.');
    setIsBusy(true);
    try {
      props.onSignedIn(await signIn(key));
    } catch (error) {
      setProblem(refusalText(error as Error));
      setIsBusy(false);
    }
  };

  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={420}>
        <Stack>
          <Title order={1} size="h2">
            <NameMark isWhole />
          </Title>
          {props.isOver && !problem && (
            <Alert color="blue">The session has ended. Sign in again to go on.</Alert>
          )}
          {problem && (
            <Alert color="red" role="alert">
              {problem}
            </Alert>
          )}
          <form onSubmit={submit}>
            <Stack>
              <PasswordInput
                name="key"
                label="Key"
                description="An API key shows the events of its tenants; an operator key manages tenants and keys."
                autoComplete="off"
                spellCheck={false}
                data-autofocus
                autoFocus
              />
              <Button type="submit" loading={isBusy}>
                Sign in
              </Button>
            </Stack>
          </form>
          {ways?.openId && (
            <>
              <Divider label="or" />
              <Button component="a" variant="default" href={openIdPath(location.pathname + location.search)}>
                Sign in with your organisation
              </Button>
            </>
          )}
          {ways?.firstKeyFile ? (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              This service is new. Its first key is an operator key, in the file{' '}
              <Code>{ways.firstKeyFile}</Code> on the machine of the service. Sign in with it; what to do next
              is said there.
            </Text>
          ) : (
            <Text size="sm" c="dimmed">
              No key? An operator makes one here under Keys, or with <code>audit-activity key create</code>.
            </Text>
          )}
        </Stack>
      </Paper>
    </Center>
  );
}

function refusalText(error: Error): string {
  const { code, text } = describeError(error);
  if (code === 'unauthorized') return 'This key is not valid here: mistyped, expired or revoked.';
  return text;
}
