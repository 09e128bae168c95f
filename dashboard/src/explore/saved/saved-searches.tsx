import { Button, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { useMutation } from 'urql';
import { Link } from 'wouter';
import { RemoveSavedSearchDocument, type SavedSearchesQuery } from '../../../generated/operations';
import { hasScope, mayWork } from '../../api/rights';
import type { Session } from '../../api/session';
import { FIELD_LABELS } from '../../lib/field-labels';
import { useKept } from '../../lib/kept';
import { useTexts } from '../../lib/language';
import { Failed } from '../../shell/states';
import type { ExploreState } from '../explore-state';
import { EXPLORE } from '../texts';
import { SaveSearch } from './save-search';
import { savedText } from './saved-text';

export type Saved = SavedSearchesQuery['savedSearches'][number];

interface Props {
  readonly session: Session;
  readonly saved: readonly Saved[];
  readonly state: ExploreState;
  readonly onChoose: (saved: Saved) => void;
  readonly onChanged: () => void;
}

/** The menu of saved searches and views: the reader's own, and those that others share. */
export function SavedSearches({ session, saved, state, onChoose, onChanged }: Props) {
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  const { filter } = state;
  const [isSaving, { open, close }] = useDisclosure();
  const [{ error }, remove] = useMutation(RemoveSavedSearchDocument);
  const [isOpen, setIsOpen] = useKept('saving', false);
  const take = async ({ searchId }: Saved) => {
    const { data } = await remove({ searchId });
    if (data) onChanged();
  };
  return (
    <>
      <Menu opened={isOpen} onChange={setIsOpen} position="bottom-end" width={300}>
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            c="inherit"
            px={8}
            title={t.saved}
            leftSection={<IconBookmark size={16} aria-hidden />}
          >
            {t.saved}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={400} style={{ overflowY: 'auto' }}>
          <Menu.Item onClick={open}>{t.saveSearch}</Menu.Item>
          {filter !== '' && mayWork(session) && hasScope(session, 'read:alerts') && (
            <Menu.Item component={Link} href={`/rules?${new URLSearchParams({ filter })}`}>
              {t.makeRule}
            </Menu.Item>
          )}
          <Menu.Divider />
          {saved.length === 0 && <Menu.Label>{t.noneYet}</Menu.Label>}
          {saved.map((one) => (
            <Menu.Item key={one.searchId} onClick={() => onChoose(one)}>
              {one.name}
              <Text size="xs" c="dimmed" truncate>
                {one.isOwn ? '' : `${t.shared} · `}
                {savedText(one, t, labels)}
              </Text>
            </Menu.Item>
          ))}
          {saved.some(({ isOwn }) => isOwn) && <Menu.Divider />}
          {saved
            .filter(({ isOwn }) => isOwn)
            .map((one) => (
              <Menu.Item
                key={one.searchId}
                closeMenuOnClick={false}
                leftSection={<IconTrash size={14} aria-hidden />}
                onClick={() => take(one)}
              >
                {t.removeSaved(one.name)}
              </Menu.Item>
            ))}
          {error && <Failed error={error} />}
        </Menu.Dropdown>
      </Menu>
      <SaveSearch isOpen={isSaving} session={session} state={state} onClose={close} onSaved={onChanged} />
    </>
  );
}
