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
import { ERRORS } from '../api/texts';
import { useTexts } from '../lib/language';
import type { In } from '../lib/texts';
import { NameMark } from '../shell/name-mark';
import { SIGN_IN } from './texts';

/** Why a sign-in by OpenID Connect failed. */
const REFUSALS: Readonly<Record<string, 'noRole' | 'noTenants' | 'cancelled'>> = {
  no_role: 'noRole',
  no_tenants: 'noTenants',
  cancelled: 'cancelled',
};

export function SignIn(props: { readonly isOver: boolean; readonly onSignedIn: (session: Session) => void }) {
  const t = useTexts(SIGN_IN);
  const errors = useTexts(ERRORS);
  const refused = new URLSearchParams(location.search).get('refused');
  const [problem, setProblem] = useState(refused ? t[REFUSALS[refused] ?? 'failed'] : undefined);
  const [isBusy, setIsBusy] = useState(false);
  const [ways, setWays] = useState<SignInWays | null>(null);
  useEffect(() => {
    // If this request fails, signing in fails too and shows the error.
    loadSignInWays().then(setWays, () => setWays(null));
  }, []);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget).get('key') ?? '').trim();
    if (!key) return setProblem(t.enterKey);
    setIsBusy(true);
    try {
      props.onSignedIn(await signIn(key));
    } catch (error) {
      setProblem(refusalText(error as Error, t.invalidKey, errors));
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
          {props.isOver && !problem && <Alert color="blue">{t.over}</Alert>}
          {problem && (
            <Alert color="red" role="alert">
              {problem}
            </Alert>
          )}
          <form onSubmit={submit}>
            <Stack>
              <PasswordInput
                name="key"
                label={t.key}
                description={t.aboutKey}
                autoComplete="off"
                spellCheck={false}
                data-autofocus
                autoFocus
              />
              <Button type="submit" loading={isBusy}>
                {t.signIn}
              </Button>
            </Stack>
          </form>
          {ways?.openId && (
            <>
              <Divider label={t.or} />
              <Button component="a" variant="default" href={openIdPath(location.pathname + location.search)}>
                {t.organisation}
              </Button>
            </>
          )}
          {ways?.firstKeyFile ? (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              <WithCode text={t.firstKey(MARK)} code={ways.firstKeyFile} />
            </Text>
          ) : (
            <Text size="sm" c="dimmed">
              <WithCode text={t.noKey(MARK)} code="audit-activity key create" />
            </Text>
          )}
        </Stack>
      </Paper>
    </Center>
  );
}

/** Stands in a sentence for what is shown as code. */
const MARK = '\u0000';

function WithCode({ text, code }: { readonly text: string; readonly code: string }) {
  const [before, after] = text.split(MARK);
  return (
    <>
      {before}
      <Code>{code}</Code>
      {after}
    </>
  );
}

function refusalText(error: Error, invalidKey: string, errors: In<typeof ERRORS>): string {
  const { code, text } = describeError(error, errors);
  return code === 'unauthorized' ? invalidKey : text;
}
