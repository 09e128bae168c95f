import { NativeSelect, type NativeSelectProps, Select, type SelectProps } from '@mantine/core';
import { useQuery } from 'urql';
import { TenantsDocument } from '../../generated/operations';
import type { Session } from '../api/session';
import { COMMON } from './common';
import { useTexts } from './language';
import type { NamedTenant } from './tenant-name';

/** Most of them need a search. */
const OFFERED_MAX = 100;
const NONE: readonly NamedTenant[] = [];

/** The tenants that a session may choose from. An operator has all, which the service is asked for. */
export function useTenants(session: Session) {
  const isOperator = session.kind === 'operator';
  const [{ data, error }] = useQuery({ query: TenantsDocument, pause: !isOperator });
  return isOperator
    ? { tenants: data?.tenants ?? NONE, isKnown: data !== undefined, error }
    : { tenants: session.tenants, isKnown: true, error: undefined };
}

/** The tenant that was chosen, or else the first one. Null: there is none. */
export const chosenOf = (tenants: readonly NamedTenant[], chosen: string | null): string | null =>
  chosen ?? tenants[0]?.tenantId ?? null;

interface Choice {
  readonly tenants: readonly NamedTenant[];
  readonly value: string | null;
  readonly onChange: (tenantId: string) => void;
}

const optionsOf = (tenants: readonly NamedTenant[]) =>
  tenants.map(({ tenantId: value, name }) => ({ value, label: name }));

/** Which tenant a page is about. Of one, there is no choice. */
export function TenantChoice(props: Choice & Pick<SelectProps, 'aria-label'>) {
  const common = useTexts(COMMON);
  const { tenants, value, onChange, 'aria-label': name } = props;
  if (tenants.length < 2) return null;
  return (
    <Select
      {...(name ? { 'aria-label': name } : { label: common.tenant })}
      allowDeselect={false}
      searchable
      limit={OFFERED_MAX}
      data={optionsOf(tenants)}
      value={value}
      onChange={(chosen) => chosen && onChange(chosen)}
    />
  );
}

/** The field of a form that asks for a tenant. Of one, there is no choice. */
export function TenantField(props: Choice & Pick<NativeSelectProps, 'label'>) {
  const common = useTexts(COMMON);
  const { tenants, value, onChange, label = common.tenant } = props;
  if (tenants.length < 2) return null;
  return (
    <NativeSelect
      label={label}
      data={optionsOf(tenants)}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
