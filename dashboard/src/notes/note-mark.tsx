import { IconNote } from '@tabler/icons-react';
import { useTexts } from '../lib/language';
import { useNoteCount } from './note-counts';
import { NOTES } from './texts';

/** Marks an event that has notes. */
export function NoteMark({ recordId }: { readonly recordId: string }) {
  const t = useTexts(NOTES);
  const count = useNoteCount(recordId);
  if (count === 0) return null;
  const text = t.noted(count);
  return <IconNote size={14} role="img" aria-label={text} title={text} style={{ marginInlineStart: 6 }} />;
}
