import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { SavedSearchesDocument } from '../../generated/operations';
import type { Session } from '../api/session';
import { ENTITY } from '../entity/texts';
import { showHidden } from '../explore/event/marks';
import { COMMAND_TEXTS } from '../lib/command-texts';
import { COMMAND_IDS } from '../lib/commands';
import { Dialog } from '../lib/dialog';
import { useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import { zoneNames } from '../lib/time';
import { actOf } from '../lib/use-commands';
import { type Entry, entriesOf } from './entries';
import classes from './palette.module.css';
import { PALETTE } from './texts';
import { useKnown } from './use-known';

interface Props {
  readonly session: Session;
  readonly pages: Parameters<typeof entriesOf>[1]['pages'];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Finds pages, saved searches, entities and actions by what is typed. */
export default function Palette({ isOpen, onClose, ...found }: Props) {
  const t = useTexts(PALETTE);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      withCloseButton={false}
      closeOnEscape={false}
      size="lg"
      yOffset="12vh"
      padding="xs"
      aria-label={t.find}
    >
      <Finder {...found} onClose={onClose} />
    </Dialog>
  );
}

const LIST_ID = 'palette-list';
const idOf = (place: number) => `palette-${place}`;
const CHARS_MAX = 200;

function Finder({ session, pages, onClose }: Omit<Props, 'isOpen'>) {
  const t = useTexts(PALETTE);
  const readsEvents = session.kind === 'public';
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const [, navigate] = useLocation();
  const [, setZone] = useTimeZone();
  const [{ data }] = useQuery({ query: SavedSearchesDocument, pause: !readsEvents });
  const known = useKnown(text.trim(), readsEvents);
  const commands = useTexts(COMMAND_TEXTS);
  const kinds = useTexts(ENTITY);
  const entries = entriesOf(text, {
    pages,
    saved: data?.savedSearches ?? [],
    commands: COMMAND_IDS.filter((id) => actOf(id) !== undefined),
    zones: zoneNames(),
    known,
    readsEvents,
    texts: { palette: t, commands, kinds },
  });
  const at = Math.min(place, entries.length - 1);
  useEffect(() => {
    document.getElementById(idOf(at))?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  const take = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    const { to } = entry;
    if ('href' in to) navigate(to.href);
    else if ('zone' in to) setZone(to.zone);
    // The dialog gives the focus back first, since a command may move it or open another dialog.
    else setTimeout(() => actOf(to.command)?.());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') setPlace((at + 1) % entries.length);
    else if (event.key === 'ArrowUp') setPlace((at - 1 + entries.length) % entries.length);
    else if (event.key === 'Enter') take(entries[at]);
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        data-autofocus
        // A dialog below, such as that of an event, stays open.
        data-mantine-stop-propagation
        role="combobox"
        aria-label={commands.palette}
        aria-expanded
        aria-controls={LIST_ID}
        aria-activedescendant={entries.length > 0 ? idOf(at) : undefined}
        aria-autocomplete="list"
        placeholder={readsEvents ? t.anyEvents : t.anyPage}
        spellCheck={false}
        autoComplete="off"
        maxLength={CHARS_MAX}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setPlace(0);
        }}
        onKeyDown={onKeyDown}
        leftSection={<IconSearch size={16} aria-hidden />}
      />
      <div id={LIST_ID} role="listbox" aria-label={t.found} className={classes.list}>
        {entries.map((entry, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two searches may have the same name
          <div key={i}>
            {entry.group !== entries[i - 1]?.group && (
              <div className={classes.group} aria-hidden>
                {t[entry.group]}{' '}
              </div>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the focus, and its keys choose */}
            {/* biome-ignore lint/a11y/useFocusableInteractive: the text field keeps the focus */}
            <div
              id={idOf(i)}
              role="option"
              aria-selected={i === at}
              className={classes.entry}
              onClick={() => take(entry)}
              onPointerMove={() => setPlace(i)}
            >
              <span>{showHidden(entry.label)}</span>
              <span className={classes.note}>{showHidden(entry.note)}</span>
            </div>
          </div>
        ))}
        {entries.length === 0 && <div className={classes.group}>{t.nothing}</div>}
      </div>
    </>
  );
}
