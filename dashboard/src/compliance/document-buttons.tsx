import { Button } from '@mantine/core';
import { useState } from 'react';
import { useClient } from 'urql';
import {
  ComplianceDocumentDocument,
  type ComplianceDocumentQueryVariables,
} from '../../generated/operations';
import { saveFile } from '../lib/save-file';
import { Failed } from '../shell/states';

const FORMATS = {
  csv: { label: 'CSV', name: 'controls.csv', type: 'text/csv' },
  oscal: { label: 'OSCAL', name: 'assessment-results.json', type: 'application/json' },
} as const;
type Format = keyof typeof FORMATS;

/** Saves the whole list that the filters match. */
export function DocumentButtons({ filter }: { readonly filter: ComplianceDocumentQueryVariables }) {
  const client = useClient();
  const [busy, setBusy] = useState<Format | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const save = async (format: Format) => {
    setBusy(format);
    const { data, error: refused } = await client.query(ComplianceDocumentDocument, { ...filter, format });
    setBusy(null);
    setError(refused ?? null);
    const { name, type } = FORMATS[format];
    const text = data?.complianceControls.document;
    if (text) saveFile({ name, content: new Blob([text], { type }) });
  };
  return (
    <>
      {error && <Failed error={error} />}
      {(Object.keys(FORMATS) as Format[]).map((format) => (
        <Button
          key={format}
          variant="default"
          loading={busy === format}
          disabled={busy !== null}
          onClick={() => save(format)}
        >
          {FORMATS[format].label}
        </Button>
      ))}
    </>
  );
}
