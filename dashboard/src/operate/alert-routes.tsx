import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from 'urql';
import {
  AlertRoutesDocument,
  type AlertRoutesQuery,
  RemoveAlertRouteDocument,
} from '../../generated/operations';
import { SEVERITY_NAMES } from '../alerts/alert-words';
import { ALERTS } from '../alerts/texts';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { chosenOf, TenantChoice } from '../lib/tenant-choice';
import type { NamedTenant } from '../lib/tenant-name';
import type { In } from '../lib/texts';
import { Failed } from '../shell/states';
import { CreateRoute } from './create-route';
import type { Destination, RuleTitle } from './rows';
import { OPERATE } from './texts';

type Route = AlertRoutesQuery['alertRoutes'][number];

/** Where the alerts of a tenant are sent: by mail, or to one of its destinations. */
export function AlertRoutes(props: {
  readonly tenants: readonly NamedTenant[];
  readonly destinations: readonly Destination[];
}) {
  const words = useTexts(ALERTS);
  const common = useTexts(COMMON);
  const t = useTexts(OPERATE);
  const { tenants, destinations } = props;
  const [chosen, setChosen] = useKept<string | null>('tenant of routes', null);
  const tenantId = chosenOf(tenants, chosen);
  const [{ data, error }, ask] = useQuery({
    query: AlertRoutesDocument,
    variables: { tenantId: tenantId ?? '' },
    pause: tenantId === null,
  });
  const [dialog, setDialog] = useKept<'make' | Route | null>('route', null);
  const close = () => setDialog(null);
  const again = () => ask();
  if (tenantId === null) return null;
  const own = destinations.filter((one) => one.tenantId === tenantId);
  const rules = data?.detectionRules ?? [];
  return (
    <Stack gap="xs" component="section" aria-labelledby="alert-routes" mt="md">
      <Group justify="space-between" align="flex-end">
        <Title order={2} size="h4" id="alert-routes">
          {t.alertRoutes}
        </Title>
        <Group gap="xs" align="flex-end">
          <TenantChoice
            aria-label={t.tenantOfRoutes}
            tenants={tenants}
            value={tenantId}
            onChange={setChosen}
          />
          <Button variant="default" disabled={!data} onClick={() => setDialog('make')}>
            {t.newRoute}
          </Button>
        </Group>
      </Group>
      {error && <Failed error={error} retry={again} />}
      {data?.alertRoutes.length === 0 && <Text size="sm">{t.noRoute}</Text>}
      {data?.alertRoutes.map((route) => (
        <Paper withBorder p="xs" key={route.routeId} component="article" aria-label={route.name}>
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <div>
              <Text size="sm" fw={500}>
                {route.name}
              </Text>
              <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {inWords(route, own, rules, t, words)}
              </Text>
              {route.lastError !== null && (
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {t.error} <span lang="en">{route.lastError}</span>
                </Text>
              )}
            </div>
            <Button size="compact-xs" variant="default" onClick={() => setDialog(route)}>
              {common.remove}
              <span className="sr-only"> {route.name}</span>
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

function inWords(
  route: Route,
  destinations: readonly Destination[],
  rules: readonly RuleTitle[],
  t: In<typeof OPERATE>,
  words: In<typeof ALERTS>,
): string {
  const known = SEVERITY_NAMES.find((name) => name === route.severity);
  const { emails, destinationId, format, severity, ruleId, escalateMinutes } = route;
  const to = destinations.find((one) => one.destinationId === destinationId);
  return [
    emails.length > 0 ? emails.join(', ') : t.toDestination(to?.name ?? destinationId ?? '', format ?? ''),
    severity === 'low' ? t.everySeverity : t.andAbove(known ? words[known] : severity),
    ...(ruleId === null ? [] : [t.ofRule(rules.find((one) => one.ruleId === ruleId)?.title ?? ruleId)]),
    ...(escalateMinutes === null ? [] : [t.ifNobody(escalateMinutes)]),
  ].join(' · ');
}

function RemoveRoute(props: { route: Route; onClose: () => void; onDone: () => void }) {
  const common = useTexts(COMMON);
  const t = useTexts(OPERATE);
  const { routeId, tenantId, name } = props.route;
  const mutate = useMutate();
  const submit = async () => {
    await mutate(RemoveAlertRouteDocument, { tenantId, routeId });
    props.onDone();
  };
  return (
    <FormDialog
      title={t.removeTitle(name)}
      action={common.remove}
      isDangerous
      isOpen
      onClose={props.onClose}
      onSubmit={submit}
    >
      <Text size="sm">{t.noLongerSent}</Text>
    </FormDialog>
  );
}
