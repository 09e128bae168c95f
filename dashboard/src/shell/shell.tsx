import { ActionIcon, AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure, useDocumentTitle } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { type Session, signOut } from '../api/session';
import { EntityCards } from '../entity/entity-cards';
import { useTexts } from '../lib/language';
import { formatCount } from '../lib/numbers';
import { loadPartsAhead } from '../lib/part';
import { Toolbar } from '../lib/toolbar';
import { useQueryString } from '../lib/use-address';
import { actOf } from '../lib/use-commands';
import { AccountMenu } from './account-menu';
import { Boundary } from './boundary';
import { Keyboard } from './keyboard';
import { NameMark } from './name-mark';
import { Rail } from './rail';
import { RateWaitNote } from './rate-wait-note';
import { SkipLinks } from './skip-links';
import { Empty, Failed, Loading } from './states';
import { ColorSchemeSwitch, TimeZoneSwitch } from './switches';
import { SHELL } from './texts';
import { useAttention } from './use-attention';
import { isOf, viewsOf, wayFrom } from './views';

/** The first view is drawn before the others are loaded. */
const PARTS_AFTER_MS = 2_000;

export function Shell(props: { readonly session: Session; readonly onSignedOut: () => void }) {
  const { session } = props;
  const [isOpen, { toggle, close }] = useDisclosure();
  const [path, navigate] = useLocation();
  const search = useQueryString();
  const t = useTexts(SHELL);
  const views = useMemo(() => viewsOf(session), [session]);
  const pages = useMemo(
    () =>
      views
        .filter(({ isLinkedElsewhere }) => !isLinkedElsewhere)
        .map(({ path: to, name, icon }) => ({ path: to, title: t[name], icon })),
    [views, t],
  );
  const view = views.find((each) => isOf(each, path));
  const { attention, alerts } = useAttention(session);
  const count = alerts > 0 ? `(${formatCount(alerts)}) ` : '';
  useDocumentTitle(`${count}${view ? t[view.name] : t.notFound} · Audit Activity`);
  useEffect(() => {
    const way = wayFrom(path, search, views);
    if (way !== null) navigate(way, { replace: true });
  }, [path, search, views, navigate]);

  useEffect(() => {
    const timer = setTimeout(loadPartsAhead, PARTS_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);

  const [problem, setProblem] = useState<Error | null>(null);
  // The page signs out only after the service has ended the session, since a page that only looks signed out would deceive.
  const leave = () => signOut().then(props.onSignedOut, setProblem);

  return (
    <AppShell
      header={{ height: 44 }}
      navbar={{ width: 84, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="xs"
    >
      <SkipLinks
        to={[
          { id: 'content', label: t.skipToContent },
          ...(view?.skips ?? []).map(({ id, label }) => ({ id, label: t[label] })),
        ]}
      />
      <AppShell.Header>
        <Group h="100%" px="md" gap="xs" wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={t.menu}
            aria-expanded={isOpen}
          />
          <NameMark />
          <RateWaitNote />
          <Toolbar label={t.you} ml="auto" gap="xs" wrap="nowrap">
            <ActionIcon
              variant="subtle"
              color="gray"
              c="inherit"
              aria-label={t.find}
              title={t.find}
              onClick={() => actOf('palette')?.()}
            >
              <IconSearch size={18} aria-hidden />
            </ActionIcon>
            <TimeZoneSwitch session={session} />
            <ColorSchemeSwitch />
            <AccountMenu session={session} onSignOut={leave} />
          </Toolbar>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p={6} component="nav" aria-label={t.views}>
        <Rail views={pages} path={view?.path ?? path} attention={attention} onGo={close} />
      </AppShell.Navbar>
      {session.kind === 'public' && <EntityCards />}
      <Keyboard session={session} pages={pages} onSignOut={leave} />
      <AppShell.Main id="content" tabIndex={-1}>
        {problem && <Failed error={problem} retry={leave} />}
        <Boundary key={view?.path}>
          <Suspense fallback={<Loading what={t.theView} />}>
            {view ? <view.component session={session} /> : <NoSuchView path={path} />}
          </Suspense>
        </Boundary>
      </AppShell.Main>
    </AppShell>
  );
}

function NoSuchView({ path }: { readonly path: string }) {
  const t = useTexts(SHELL);
  return (
    <Empty title={t.nothingHere}>
      <Text size="sm">{t.noSuchView(path)}</Text>
    </Empty>
  );
}
