import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type ComplianceDeclarationKind, DeclareComplianceDocument } from '../../generated/operations';
import { FormDialog } from '../lib/form-dialog';
import { useMutate } from '../lib/mutate';
import { KINDS } from './words';

/** A snapshot is uploaded with the command line. */
type Kind = Exclude<ComplianceDeclarationKind, 'snapshot'>;

const NO_NAMES = {
  databaseName: '',
  schemaName: '',
  objectName: '',
  principalName: '',
  applicationName: '',
  workingHours: '',
  serverInstanceName: '',
};
type Name = keyof typeof NO_NAMES;

const FIELDS: Record<
  Kind,
  readonly { readonly name: Name; readonly label: string; readonly isRequired?: true }[]
> = {
  sensitive: [
    { name: 'databaseName', label: 'Database', isRequired: true },
    { name: 'schemaName', label: 'Schema (empty: all)' },
    { name: 'objectName', label: 'Object (empty: all)' },
  ],
  auditor: [{ name: 'principalName', label: 'Login', isRequired: true }],
  application: [
    { name: 'applicationName', label: 'Application; * at its end stands for any text', isRequired: true },
  ],
  workingHours: [
    {
      name: 'workingHours',
      label: 'Working hours, such as Mon-Fri 07:00-19:00 Europe/Berlin',
      isRequired: true,
    },
  ],
  excluded: [],
};

/** The dialog with which an operator declares something about servers. */
export function Declare(props: {
  readonly tenantId: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { tenantId, onClose, onDone } = props;
  const mutate = useMutate();
  const [kind, setKind] = useState<Kind>('sensitive');
  const [names, setNames] = useState(NO_NAMES);
  const [reason, setReason] = useState('');
  const isExcluded = kind === 'excluded';
  const fields = [
    ...FIELDS[kind],
    {
      name: 'serverInstanceName' as const,
      label: isExcluded ? 'Server instance' : 'Server instance (empty: every one)',
      isRequired: isExcluded,
    },
  ];
  const submit = async () => {
    const given = Object.fromEntries(
      fields.map(({ name }) => [name, names[name].trim() || null]).filter(([, value]) => value !== null),
    );
    await mutate(DeclareComplianceDocument, { tenantId, kind, reason, ...given });
    onDone();
  };
  return (
    <FormDialog title="Declare" action="Declare" isOpen onClose={onClose} onSubmit={submit}>
      {(problems) => (
        <>
          <NativeSelect
            label="Kind"
            value={kind}
            onChange={(event) => setKind(event.currentTarget.value as Kind)}
            data={(Object.keys(FIELDS) as Kind[]).map((value) => ({ value, label: KINDS[value] }))}
          />
          {fields.map(({ name, label, isRequired = false }) => (
            <TextInput
              key={name}
              label={label}
              required={isRequired}
              error={problems[name]}
              value={names[name]}
              onChange={(event) => setNames({ ...names, [name]: event.currentTarget.value })}
            />
          ))}
          <TextInput
            label="Reason"
            required
            error={problems.reason}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  );
}
