import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { FIELD_LABELS } from '../../lib/field-labels';
import { useTexts } from '../../lib/language';
import { EXPLORE } from '../texts';
import { FACET_FIELDS, type FacetField, isFacetField } from './facet-field';

interface Props {
  readonly fields: readonly FacetField[];
  readonly onChange: (fields: readonly FacetField[]) => void;
}

/** The choice of the fields to count by. */
export function FacetChoice({ fields, onChange }: Props) {
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EXPLORE);
  return (
    <Popover trapFocus returnFocus position="bottom-end" shadow="md">
      <Popover.Target>
        <Button variant="subtle" color="gray" c="inherit" size="compact-xs">
          {t.fields}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.fieldsToCount}>
        <Checkbox.Group
          label={t.countBy}
          value={[...fields]}
          onChange={(chosen) => onChange(chosen.filter(isFacetField))}
        >
          <Stack gap={6} mt={6}>
            {FACET_FIELDS.map((field) => (
              <Checkbox key={field} size="xs" value={field} label={labels[field]} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}
