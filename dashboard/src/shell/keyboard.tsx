import { useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Suspense } from 'react';
import { useLocation } from 'wouter';
import type { Session } from '../api/session';
import { letterOf } from '../lib/commands';
import { useContrast } from '../lib/contrast';
import { KeysHelp } from '../lib/keys-help';
import { part } from '../lib/part';
import { useCommands, useKeyboard } from '../lib/use-commands';

const Palette = part('palette', () => import('../palette/palette'));

interface Props {
  readonly session: Session;
  /** Those that the rail leads to. */
  readonly pages: readonly { readonly path: string; readonly title: string }[];
  readonly onSignOut: () => void;
}

/** The keys of all pages, the palette and the help. */
export function Keyboard({ session, pages, onSignOut }: Props) {
  const [isFinding, finding] = useDisclosure();
  const [isHelping, helping] = useDisclosure();
  const [, navigate] = useLocation();
  const { setColorScheme } = useMantineColorScheme();
  const [, setContrast] = useContrast();
  useCommands({
    palette: finding.toggle,
    help: helping.open,
    lightColors: () => setColorScheme('light'),
    darkColors: () => setColorScheme('dark'),
    moreContrast: () => setContrast('more'),
    usualContrast: () => setContrast('usual'),
    signOut: onSignOut,
  });
  useKeyboard((letter) => {
    const page = pages.find(({ path }) => letterOf(path) === letter);
    if (page) navigate(page.path);
    return page !== undefined;
  });
  return (
    <>
      {isFinding && (
        <Suspense fallback={null}>
          <Palette session={session} pages={pages} isOpen onClose={finding.close} />
        </Suspense>
      )}
      <KeysHelp pages={pages} isOpen={isHelping} onClose={helping.close} />
    </>
  );
}
