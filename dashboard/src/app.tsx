import { Center, Container } from '@mantine/core';
import { startTransition, useCallback, useEffect, useMemo, useState } from 'react';
import { Provider } from 'urql';
import { Router } from 'wouter';
import { createClient } from './api/client';
import { loadSession, type Session } from './api/session';
import { useContrastOfPage } from './lib/contrast';
import { beginKeeping, endKeeping } from './lib/kept';
import { useTexts } from './lib/language';
import { ZoneProvider } from './lib/preferences';
import { useAgain } from './lib/use-again';
import { RateWaitNote } from './shell/rate-wait-note';
import { Shell } from './shell/shell';
import { Failed, Loading } from './shell/states';
import { SHELL } from './shell/texts';
import { SignIn } from './sign-in/sign-in';

type State =
  | { kind: 'asking' }
  | { kind: 'failed'; error: Error }
  | { kind: 'known'; session: Session | null };

/**
 * Shows the views if somebody is signed in, else the sign-in at the same address, so that a link survives it.
 * @param props.loading the session, which was requested before the page was drawn
 */
export function App({ loading }: { readonly loading: Promise<Session | null> }) {
  const [state, setState] = useState<State>({ kind: 'asking' });
  const [isOver, setIsOver] = useState(false);
  useContrastOfPage();
  const t = useTexts(SHELL);
  const take = useCallback((asked: Promise<Session | null>) => {
    asked.then(
      // The page is drawn in slices, between which the browser answers to whoever uses it.
      (session) => startTransition(() => setState({ kind: 'known', session })),
      (error: Error) => setState({ kind: 'failed', error }),
    );
  }, []);
  useEffect(() => take(loading), [take, loading]);
  const askAgain = useCallback(() => take(loadSession()), [take]);
  useAgain(state.kind === 'failed' ? state : null, askAgain);
  const ask = () => {
    setState({ kind: 'asking' });
    askAgain();
  };

  const leave = useCallback((over: boolean) => {
    endKeeping(over);
    setIsOver(over);
    setState({ kind: 'known', session: null });
  }, []);
  const session = state.kind === 'known' ? state.session : null;
  // Each session gets a new client, since nothing of one session may be shown in the next. What was typed waits for the same person.
  const client = useMemo(() => {
    if (!session) return null;
    const { kind, name, tenants, scopes } = session;
    beginKeeping(JSON.stringify([kind, name, tenants, scopes]));
    return createClient(() => leave(true));
  }, [session, leave]);

  if (state.kind === 'asking')
    return (
      <Center h="100vh">
        <Loading what={t.theDashboard} rows={0} />
        <RateWaitNote />
      </Center>
    );
  if (state.kind === 'failed')
    return (
      <Container size="xs" pt="xl">
        <Failed error={state.error} retry={ask} />
      </Container>
    );
  if (!session || !client)
    return (
      <SignIn isOver={isOver} onSignedIn={(signedIn) => setState({ kind: 'known', session: signedIn })} />
    );
  return (
    <Provider value={client}>
      <Router base="/dashboard">
        <ZoneProvider>
          <Shell session={session} onSignedOut={() => leave(false)} />
        </ZoneProvider>
      </Router>
    </Provider>
  );
}
