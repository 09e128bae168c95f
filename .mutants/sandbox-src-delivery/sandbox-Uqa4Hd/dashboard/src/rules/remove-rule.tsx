import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { RemoveRuleDocument } from '../../generated/operations';
import { showHidden } from '../explore/event/marks';
import { FormDialog } from '../lib/form-dialog';
import { useMutate } from '../lib/mutate';
import type { Rule } from './rule';

/** Removes a rule or filter of the tenant, after a confirmation. */
export function RemoveRule({ rule, onRemoved }: { readonly rule: Rule; readonly onRemoved: () => void }) {
  const mutate = useMutate();
  const [isAsking, setIsAsking] = useState(false);
  const { tenantId, ruleId, title, kind } = rule;
  return (
    <div>
      <Button variant="default" onClick={() => setIsAsking(true)}>
        Remove the {kind}
      </Button>
      {isAsking && (
        <FormDialog
          title={`Remove the ${kind}`}
          action="Remove"
          isOpen
          onClose={() => setIsAsking(false)}
          onSubmit={async () => {
            await mutate(RemoveRuleDocument, { tenantId, ruleId });
            onRemoved();
          }}
        >
          <Text size="sm">{showHidden(title)}</Text>
          <Text size="sm" c="dimmed">
            Its findings stay.
          </Text>
        </FormDialog>
      )}
    </div>
  );
}
