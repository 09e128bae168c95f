import { NativeSelect, TextInput } from '@mantine/core';
import { type ComplianceDeclarationKind, DeclareComplianceDocument } from '../../generated/operations';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { COMPLIANCE } from './texts';

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

/** Labels by their names in the catalogue. */
type Label = ('database' | 'schemaOrAll' | 'objectOrAll') | ('login' | 'applicationStar' | 'hoursExample');
const FIELDS: Record<
  Kind,
  readonly { readonly name: Name; readonly called: Label; readonly isRequired?: true }[]
> = {
  sensitive: [
    { name: 'databaseName', called: 'database', isRequired: true },
    { name: 'schemaName', called: 'schemaOrAll' },
    { name: 'objectName', called: 'objectOrAll' },
  ],
  auditor: [{ name: 'principalName', called: 'login', isRequired: true }],
  application: [{ name: 'applicationName', called: 'applicationStar', isRequired: true }],
  workingHours: [
    {
      name: 'workingHours',
      called: 'hoursExample',
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
  const common = useTexts(COMMON);
  const t = useTexts(COMPLIANCE);
  const { tenantId, onClose, onDone } = props;
  const mutate = useMutate();
  const [kind, setKind] = useKept<Kind>('kind', 'sensitive');
  const [names, setNames] = useKept('names', NO_NAMES);
  const [reason, setReason] = useKept('reason', '');
  const isExcluded = kind === 'excluded';
  const fields = [
    ...FIELDS[kind].map((one) => ({
      ...one,
      label: t[one.called],
    })),
    {
      name: 'serverInstanceName' as const,
      label: isExcluded ? t.server : t.serverOrAll,
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
    <FormDialog title={t.declare} action={t.declare} isOpen onClose={onClose} onSubmit={submit}>
      {(problems) => (
        <>
          <NativeSelect
            label={common.kind}
            value={kind}
            onChange={(event) => setKind(event.currentTarget.value as Kind)}
            data={(Object.keys(FIELDS) as Kind[]).map((value) => ({ value, label: t[value] }))}
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
            label={common.reason}
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
