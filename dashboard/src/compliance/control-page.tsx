import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { ComplianceControlDocument, type ComplianceControlQuery } from '../../generated/operations';
import type { Session } from '../api/session';
import { useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import { useAddress } from '../lib/use-address';
import { Empty, Failed, Loading } from '../shell/states';
import { ADDRESS, hrefOf } from './address';
import { InstanceStanding } from './instance-standing';
import { COMPLIANCE } from './texts';

type Control = NonNullable<ComplianceControlQuery['complianceControl']>;

/** The page of one control: what it asks for, and how it stands on each instance, with the records that prove it. */
export function ControlPage({
  controlId,
  session,
}: {
  readonly controlId: string;
  readonly session: Session;
}) {
  const t = useTexts(COMPLIANCE);
  const [zone] = useTimeZone();
  const [given] = useAddress(ADDRESS);
  const { asOf } = given;
  const [{ data, error }, ask] = useQuery({
    query: ComplianceControlDocument,
    variables: { controlId, asOf },
  });
  const control = data?.complianceControl;
  if (error) return <Failed error={error} retry={ask} />;
  if (!data) return <Loading what={t.theControl} />;
  if (!control)
    return (
      <Empty title={t.noSuchControl}>
        <AllControls href={hrefOf({ ...given, control: null })} />
      </Empty>
    );
  return (
    <Stack gap="md">
      <div>
        <AllControls href={hrefOf({ ...given, control: null })} />
        <Title order={1} size="h3" mt={4}>
          {control.controlId}: <span lang="en">{control.title}</span>
        </Title>
        {asOf !== null && (
          <Text size="sm" mt={4}>
            {t.asOf(formatTime(asOf, zone))}{' '}
            <Anchor component={Link} href={hrefOf({ ...given, asOf: null })} inherit underline="always">
              {' '}
              {t.now}{' '}
            </Anchor>
          </Text>
        )}
      </div>
      <Meaning control={control} hrefOfOther={(other) => hrefOf({ ...given, control: other })} />
      {control.instances.length === 0 && <Empty title={t.noEventsYet} />}
      {control.instances.map((instance) => (
        <InstanceStanding
          key={JSON.stringify([instance.tenantId, instance.serverInstanceName, instance.databaseName])}
          instance={instance}
          asOf={asOf}
          session={session}
        />
      ))}
    </Stack>
  );
}

const AllControls = ({ href }: { readonly href: string }) => {
  const t = useTexts(COMPLIANCE);
  return (
    <Anchor component={Link} href={href} size="sm">
      {t.allControls}
    </Anchor>
  );
};

function Meaning(props: { readonly control: Control; readonly hrefOfOther: (controlId: string) => string }) {
  const t = useTexts(COMPLIANCE);
  const { control, hrefOfOther } = props;
  const lines = [
    [t.pass, control.pass],
    [t.fail, control.fail],
    [t.unknown, control.unknown],
  ];
  return (
    <section aria-label={t.aboutControl}>
      <dl style={{ margin: 0 }}>
        {lines.map(([name, text]) => (
          <Group key={name} gap="xs" wrap="nowrap" align="baseline">
            <Text component="dt" size="sm" fw={600} w={80} style={{ flexShrink: 0 }}>
              {name}
            </Text>
            <Text component="dd" size="sm" m={0} lang="en">
              {text}
            </Text>
          </Group>
        ))}
      </dl>
      {control.maps.length > 0 && (
        <Text size="sm" mt="xs">
          {t.sameAskedBy}{' '}
          {control.maps.map((other, i) => (
            <span key={`${other.frameworkId} ${other.controlId}`}>
              {i > 0 && ', '}
              <Anchor component={Link} href={hrefOfOther(other.controlId)} inherit underline="always">
                {other.frameworkId} {other.controlId}
              </Anchor>
            </span>
          ))}
          .
        </Text>
      )}
    </section>
  );
}
