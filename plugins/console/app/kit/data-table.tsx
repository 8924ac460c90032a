import { Card, Group, Pagination, Skeleton, Table, Text } from '@mantine/core'
import type { KeyboardEvent } from 'react'
import type { DataTableProps } from 'sluice/sdk/console'
import styles from './data-table.module.css'
import { KIT_WORDS } from './kit-words.ts'
import { useWords } from './language.ts'

const SKELETON_ROWS = 5

export function DataTable<Row>({ label, columns, rows, rowKey, empty, onOpen, paging }: DataTableProps<Row>) {
  const words = useWords(KIT_WORDS)
  const classOf = ({ align, isMinor }: (typeof columns)[number]) =>
    [align === 'end' ? styles.end : '', isMinor === true ? styles.minor : ''].join(' ')
  const openBy = (row: Row) =>
    onOpen !== undefined && {
      className: styles.openable ?? '',
      tabIndex: 0,
      onClick: () => onOpen(row),
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key === 'Enter' && event.target === event.currentTarget) onOpen(row)
      },
    }
  return (
    <Card withBorder padding={0} aria-busy={rows === undefined}>
      <Table
        className={styles.table ?? ''}
        highlightOnHover={onOpen !== undefined}
        verticalSpacing="xs"
        aria-label={label}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.key} scope="col" className={classOf(column)}>
                {column.title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows === undefined
            ? Array.from({ length: SKELETON_ROWS }, (_, index) => (
                <Table.Tr key={index}>
                  <Table.Td colSpan={columns.length}>
                    <Skeleton height={14} />
                  </Table.Td>
                </Table.Tr>
              ))
            : rows.map((row) => (
                <Table.Tr key={rowKey(row)} {...openBy(row)}>
                  {columns.map((column) => (
                    <Table.Td key={column.key} data-title={column.title} className={classOf(column)}>
                      {column.render(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
        </Table.Tbody>
      </Table>
      {rows?.length === 0 && (
        <Text c="dimmed" ta="center" p="xl">
          {empty}
        </Text>
      )}
      {paging !== undefined && paging.total > paging.pageSize && (
        <Group justify="space-between" p="sm">
          <Text size="sm" c="dimmed">
            {words.rowsOf(
              (paging.page - 1) * paging.pageSize + 1,
              Math.min(paging.page * paging.pageSize, paging.total),
              paging.total,
            )}
          </Text>
          <Pagination
            size="sm"
            value={paging.page}
            onChange={paging.onPage}
            total={Math.ceil(paging.total / paging.pageSize)}
            aria-label={words.pages}
          />
        </Group>
      )}
    </Card>
  )
}
