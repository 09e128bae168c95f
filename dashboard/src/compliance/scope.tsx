import { Anchor, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { DataTable } from 'mantine-datatable';
import { useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import {
  ComplianceDeclarationsDocument,
  type ComplianceDeclarationsQuery,
  EndComplianceDeclarationDocument,
} from '../../generated/operations';
import type { Session } from '../api/session';
import { showHidden } from '../explore/event/marks';
import { textsAddress } from '../lib/address';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { LIST_TABLE } from '../lib/listed';
import { useMutate } from '../lib/mutate';
import { useTimeZone } from '../lib/preferences';
import { serviceNowMs } from '../lib/service-clock';
import { chosenOf, TenantChoice, useTenants } from '../lib/tenant-choice';
import type { In } from '../lib/texts';
import { formatTime } from '../lib/time';
import { useAddress } from '../lib/use-address';
import { PageHead } from '../shell/page-head';
import { Failed, Loading } from '../shell/states';
import { PATH } from './address';
import { Declare } from './declare';
import { COMPLIANCE } from './texts';

type Declaration = ComplianceDeclarationsQuery['complianceDeclarations'][number];
const ADDRESS = textsAddress(['tenantId', 'ended']);

/** What is declared about the servers of a tenant. Operators add to it and end it. */
export function Scope({ session }: { readonly session: Session }) {
  const common = useTexts(COMMON);
  const t = useTexts(COMPLIANCE);
  const [zone] = useTimeZone();
  const [given, setGiven] = useAddress(ADDRESS);
  const isOperator = session.kind === 'operator';
  const { tenants, isKnown, error: notKnown } = useTenants(session);
  const tenantId = chosenOf(tenants, given.tenantId);
  const [{ data, error, fetching }, ask] = useQuery({
    query: ComplianceDeclarationsDocument,
    variables: { tenantId: tenantId ?? '' },
    pause: tenantId === null,
  });
  const [isDeclaring, setIsDeclaring] = useKept('declaring', false);
  const [ending, setEnding] = useState<Declaration | null>(null);
  const showsEnded = given.ended !== null;
  const now = serviceNowMs();
  const shown = (data?.complianceDeclarations ?? []).filter(
    ({ validUntil }) => showsEnded || validUntil === null || Date.parse(validUntil) > now,
  );
  return (
    <Stack gap="sm">
      <PageHead title={isOperator ? t.title : t.whatIsDeclared}>
        {isOperator && tenantId !== null && <Button onClick={() => setIsDeclaring(true)}>{t.declare}</Button>}
        {!isOperator && (
          <Anchor component={Link} href={PATH} size="sm">
            {t.allControls}
          </Anchor>
        )}
      </PageHead>
      <Text size="sm">{t.about}</Text>
      {/* The choice of a tenant would move what stands beside and below it. */}
      {!isKnown && !notKnown && <Loading what={common.theList} />}
      {isKnown && (
        <Group gap="md" align="flex-end">
          <TenantChoice
            tenants={tenants}
            value={tenantId}
            onChange={(value) => setGiven((before) => ({ ...before, tenantId: value }))}
          />
          <Switch
            label={t.alsoEnded}
            checked={showsEnded}
            onChange={(event) => {
              const ended = event.currentTarget.checked ? '1' : null;
              setGiven((before) => ({ ...before, ended }));
            }}
          />
        </Group>
      )}
      {notKnown && <Failed error={notKnown} />}
      {!isKnown ? null : error ? (
        <Failed error={error} retry={ask} />
      ) : tenantId !== null && !data ? (
        <Loading what={common.theList} />
      ) : (
        <DataTable
          {...LIST_TABLE}
          minHeight={160}
          scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
          idAccessor="declarationId"
          fetching={fetching}
          records={shown}
          noRecordsText={isOperator && tenants.length === 0 ? common.noTenant : t.nothingDeclared}
          columns={[
            { accessor: 'kind', title: common.kind, render: ({ kind }) => t[kind] },
            {
              accessor: 'what',
              title: t.what,
              render: (one) => <div style={{ overflowWrap: 'anywhere' }}>{showHidden(whatOf(one, t))}</div>,
            },
            {
              accessor: 'reason',
              title: common.reason,
              render: ({ reason }) => <div style={{ overflowWrap: 'anywhere' }}>{showHidden(reason)}</div>,
            },
            {
              accessor: 'validFrom',
              title: common.from,
              noWrap: true,
              render: ({ validFrom }) => formatTime(validFrom, zone),
            },
            {
              accessor: 'validUntil',
              title: common.until,
              noWrap: true,
              render: ({ validUntil }) => (validUntil === null ? '–' : formatTime(validUntil, zone)),
            },
            { accessor: 'createdBy', title: t.by, render: ({ createdBy }) => showHidden(createdBy) },
            ...(isOperator
              ? [
                  {
                    accessor: 'end',
                    title: '',
                    render: (one: Declaration) =>
                      one.validUntil === null && (
                        <Button
                          size="compact-xs"
                          variant="default"
                          aria-label={t.endOf(t[one.kind], whatOf(one, t))}
                          onClick={() => setEnding(one)}
                        >
                          {t.end}
                        </Button>
                      ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {isDeclaring && tenantId !== null && (
        <Declare tenantId={tenantId} onClose={() => setIsDeclaring(false)} onDone={ask} />
      )}
      {ending && tenantId !== null && (
        <EndDeclaration
          tenantId={tenantId}
          declaration={ending}
          onClose={() => setEnding(null)}
          onDone={ask}
        />
      )}
    </Stack>
  );
}

function EndDeclaration(props: {
  readonly tenantId: string;
  readonly declaration: Declaration;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const t = useTexts(COMPLIANCE);
  const { tenantId, declaration, onClose, onDone } = props;
  const mutate = useMutate();
  const { declarationId, kind } = declaration;
  return (
    <FormDialog
      title={t.endKind(t[kind])}
      action={t.end}
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        await mutate(EndComplianceDeclarationDocument, { tenantId, declarationId });
        onDone();
      }}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {t.noLonger(showHidden(whatOf(declaration, t)))}
      </Text>
    </FormDialog>
  );
}

/** What a declaration names, with the instance if it holds for one only. */
function whatOf(one: Declaration, t: In<typeof COMPLIANCE>): string {
  const names = [one.databaseName, one.schemaName, one.objectName].filter((name) => name !== null).join('.');
  const what = names || one.principalName || one.applicationName || one.workingHours || one.sha256;
  const where = one.serverInstanceName ?? t.everyServer;
  if (!what) return where;
  return t.on(what, where);
}
