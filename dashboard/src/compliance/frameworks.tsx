import { Table } from '@mantine/core';
import type { CSSProperties } from 'react';
import type { ComplianceFrameworksQuery, ControlStatus } from '../../generated/operations';
import { useTexts } from '../lib/language';
import { formatCount } from '../lib/numbers';
import { Opener } from '../lib/opener';
import { COMPLIANCE } from './texts';
import { STATUS_NAMES } from './words';

interface Props {
  readonly frameworks: ComplianceFrameworksQuery['complianceFrameworks']['items'];
  readonly chosen: string | null;
  readonly choose: (framework: string, status: ControlStatus | null) => void;
}

const COUNTS = { fail: 'fail', unknown: 'unknown', pass: 'pass', not_applicable: 'notApplicable' } as const;

/** On a phone, the numbers have room beside long names. */
const WRAPS = { '--opener-space': 'normal' } as CSSProperties;

/** The frameworks, with how many controls of whole instances have each status. A number leads to its controls. */
export function Frameworks({ frameworks, chosen, choose }: Props) {
  const t = useTexts(COMPLIANCE);
  return (
    <Table.ScrollContainer minWidth={430}>
      <Table fz="sm" withTableBorder aria-label={t.frameworks}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.framework}</Table.Th>
            {STATUS_NAMES.map((status) => (
              <Table.Th key={status} ta="right">
                {t[status]}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {frameworks.map((framework) => (
            <Table.Tr key={framework.frameworkId} fw={framework.frameworkId === chosen ? 600 : undefined}>
              <Table.Td style={WRAPS}>
                <span lang="en">
                  <Opener onOpen={() => choose(framework.frameworkId, null)}>{framework.title}</Opener>
                </span>
              </Table.Td>
              {STATUS_NAMES.map((status) => (
                <Table.Td key={status} ta="right">
                  {framework[COUNTS[status]] === 0 ? (
                    '0'
                  ) : (
                    <Opener onOpen={() => choose(framework.frameworkId, status)}>
                      {formatCount(framework[COUNTS[status]])}
                      <span className="sr-only">
                        {' '}
                        {t[status]}: <span lang="en">{framework.title}</span>
                      </span>
                    </Opener>
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
