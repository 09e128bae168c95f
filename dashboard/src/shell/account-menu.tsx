import { Button, Menu, Text } from '@mantine/core';
import {
  IconBook,
  IconChevronDown,
  IconContrast,
  IconLanguage,
  IconLicense,
  IconLogout,
} from '@tabler/icons-react';
import type { Session } from '../api/session';
import { COMMON } from '../lib/common';
import { useContrast } from '../lib/contrast';
import { useLanguage, useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import { namesOf } from '../lib/tenant-name';
import type { In } from '../lib/texts';
import { LANGUAGES, type Language } from '../lib/texts';
import { formatTime } from '../lib/time';
import { SHELL } from './texts';

const LANGUAGE_NAMES = Object.keys(LANGUAGES) as Language[];

/** Shows who is signed in, with which rights and until when, and offers to sign out. */
export function AccountMenu(props: { readonly session: Session; readonly onSignOut: () => void }) {
  const common = useTexts(COMMON);
  const { session } = props;
  const t = useTexts(SHELL);
  const [language, choose] = useLanguage();
  const [zone] = useTimeZone();
  const [contrast, setContrast] = useContrast();
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          c="inherit"
          h={28}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          <Text span truncate maw={{ base: 78, xs: 110 }} size="sm">
            {session.name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text inherit lineClamp={6} style={{ overflowWrap: 'anywhere' }}>
            {session.kind === 'operator' ? t.operator : t.reads(tenantsOf(session, t, common))}
          </Text>
        </Menu.Label>
        <Menu.Label>{t.signedInUntil(formatTime(session.expiresAt, zone))}</Menu.Label>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconContrast size={16} aria-hidden />}
          onClick={() => setContrast(contrast === 'more' ? 'usual' : 'more')}
        >
          {contrast === 'more' ? t.usualContrast : t.highContrast}
        </Menu.Item>
        {LANGUAGE_NAMES.filter((name) => name !== language).map((name) => (
          <Menu.Item
            key={name}
            lang={name}
            leftSection={<IconLanguage size={16} aria-hidden />}
            onClick={() => choose(name)}
          >
            {LANGUAGES[name]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          component="a"
          href="/docs/"
          target="_blank"
          leftSection={<IconBook size={16} aria-hidden />}
        >
          {t.documents}
        </Menu.Item>
        <Menu.Item
          component="a"
          href="/dashboard/licenses.txt"
          target="_blank"
          leftSection={<IconLicense size={16} aria-hidden />}
        >
          {t.licences}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={props.onSignOut}>
          {t.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const NAMED_MAX = 5;

function tenantsOf({ tenants }: Session, t: In<typeof SHELL>, common: In<typeof COMMON>): string {
  const ids = tenants.map(({ tenantId }) => tenantId);
  return ids.length === 0 ? t.noTenant : namesOf(tenants, ids, common, NAMED_MAX);
}
