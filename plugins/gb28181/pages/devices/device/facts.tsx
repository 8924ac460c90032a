import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

/** Facts by their names. */
export function Facts({
  label,
  facts,
}: {
  readonly label: string
  readonly facts: readonly (readonly [string, ReactNode])[]
}) {
  return (
    <Table variant="vertical" layout="fixed" withTableBorder aria-label={label}>
      <Table.Tbody>
        {facts.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={150} scope="row">
              {name}
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
