import { Button, Group, NativeSelect, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import {
  AlertRoutesDocument,
  type AlertRoutesQuery,
  RemoveAlertRouteDocument,
} from '../../generated/operations';
import { FormDialog } from '../lib/form-dialog';
import { useMutate } from '../lib/mutate';
import type { NamedTenant } from '../lib/tenant-name';
import { Failed } from '../shell/states';
import { CreateRoute } from './create-route';
import type { Destination, RuleTitle } from './rows';

type Route = AlertRoutesQuery['alertRoutes'][number];

/** Where the alerts of a tenant are sent: by mail, or to one of its destinations. */
export function AlertRoutes(props: {
  readonly tenants: readonly NamedTenant[];
  readonly destinations: readonly Destination[];
}) {
  const { tenants, destinations } = props;
  const [chosen, setChosen] = useState<string | null>(null);
  const tenantId = chosen ?? tenants[0]?.tenantId ?? null;
  const [{ data, error }, ask] = useQuery({
    query: AlertRoutesDocument,
    variables: { tenantId: tenantId ?? '' },
    pause: tenantId === null,
  });
  const [dialog, setDialog] = useState<'make' | Route | null>(null);
  const close = () => setDialog(null);
  const again = () => ask();
  if (tenantId === null) return null;
  const own = destinations.filter((one) => one.tenantId === tenantId);
  const rules = data?.detectionRules ?? [];
  return (
    <Stack gap="xs" component="section" aria-labelledby="alert-routes" mt="md">
      <Group justify="space-between" align="flex-end">
        <Title order={2} size="h4" id="alert-routes">
          Alert routes
        </Title>
        <Group gap="xs" align="flex-end">
          {tenants.length > 1 && (
            <NativeSelect
              size="xs"
              aria-label="Tenant of the alert routes"
              data={tenants.map(({ tenantId: value, name }) => ({ value, label: name }))}
              value={tenantId}
              onChange={(event) => setChosen(event.currentTarget.value)}
            />
          )}
          <Button size="xs" variant="default" disabled={!data} onClick={() => setDialog('make')}>
            New alert route
          </Button>
        </Group>
      </Group>
      {error && <Failed error={error} retry={again} />}
      {data?.alertRoutes.length === 0 && (
        <Text size="sm">
          Nobody is told of alerts outside the dashboard. A route sends them by mail, or to a destination of
          the tenant.
        </Text>
      )}
      {data?.alertRoutes.map((route) => (
        <Paper withBorder p="xs" key={route.routeId} component="article" aria-label={route.name}>
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <div>
              <Text size="sm" fw={500}>
                {route.name}
              </Text>
              <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {inWords(route, own, rules)}
              </Text>
              {route.lastError !== null && (
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  Error: {route.lastError}
                </Text>
              )}
            </div>
            <Button size="compact-xs" variant="default" onClick={() => setDialog(route)}>
              Remove<span className="sr-only"> {route.name}</span>
            </Button>
          </Group>
        </Paper>
      ))}
      {dialog === 'make' && (
        <CreateRoute
          tenantId={tenantId}
          destinations={own}
          rules={rules.filter(({ kind }) => kind !== 'filter')}
          onClose={close}
          onDone={again}
        />
      )}
      {dialog !== null && dialog !== 'make' && <RemoveRoute route={dialog} onClose={close} onDone={again} />}
    </Stack>
  );
}

function inWords(route: Route, destinations: readonly Destination[], rules: readonly RuleTitle[]): string {
  const { emails, destinationId, format, severity, ruleId, escalateMinutes } = route;
  const to = destinations.find((one) => one.destinationId === destinationId);
  return [
    emails.length > 0 ? emails.join(', ') : `destination ${to?.name ?? destinationId} (${format})`,
    severity === 'low' ? 'every severity' : `${severity} and above`,
    ...(ruleId === null
      ? []
      : [`of the rule ${rules.find((one) => one.ruleId === ruleId)?.title ?? ruleId}`]),
    ...(escalateMinutes === null ? [] : [`if nobody has acknowledged it for ${escalateMinutes} minutes`]),
  ].join(' · ');
}

function RemoveRoute(props: { route: Route; onClose: () => void; onDone: () => void }) {
  const { routeId, tenantId, name } = props.route;
  const mutate = useMutate();
  const submit = async () => {
    await mutate(RemoveAlertRouteDocument, { tenantId, routeId });
    props.onDone();
  };
  return (
    <FormDialog
      title={`Remove ${name}`}
      action="Remove"
      isDangerous
      isOpen
      onClose={props.onClose}
      onSubmit={submit}
    >
      <Text size="sm">Alerts are no longer sent there, and neither are those that wait.</Text>
    </FormDialog>
  );
}
