import { Button, Text } from '@mantine/core';
import { RemoveRuleDocument } from '../../generated/operations';
import { showHidden } from '../explore/event/marks';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import type { Rule } from './rule';
import { RULES } from './texts';

/** Removes a rule or filter of the tenant, after a confirmation. */
export function RemoveRule({ rule, onRemoved }: { readonly rule: Rule; readonly onRemoved: () => void }) {
  const common = useTexts(COMMON);
  const t = useTexts(RULES);
  const mutate = useMutate();
  const [isAsking, setIsAsking] = useKept('removing', false);
  const { tenantId, ruleId, title, kind } = rule;
  const removeIt = kind === 'filter' ? t.removeFilter : t.removeRule;
  return (
    <div>
      <Button variant="default" onClick={() => setIsAsking(true)}>
        {removeIt}
      </Button>
      {isAsking && (
        <FormDialog
          title={removeIt}
          action={common.remove}
          isOpen
          onClose={() => setIsAsking(false)}
          onSubmit={async () => {
            await mutate(RemoveRuleDocument, { tenantId, ruleId });
            onRemoved();
          }}
        >
          <Text size="sm">{showHidden(title)}</Text>
          <Text size="sm" c="dimmed">
            {t.findingsStay}
          </Text>
        </FormDialog>
      )}
    </div>
  );
}
