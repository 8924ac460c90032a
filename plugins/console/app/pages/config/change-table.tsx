import { Badge, Text } from '@mantine/core'
import type { Column, Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { shownText, type Change } from './changes.ts'
import { CONFIG_WORDS } from './config-words.ts'

const LONGEST = 300

type Props = {
  readonly console: Console<Paths>
  readonly isGlobal: boolean
  readonly changes: readonly Change[]
}

/** The changed keys: what holds now and from which source, what is to hold, and when it takes effect. */
export function ChangeTable({ console, isGlobal, changes }: Props) {
  const words = console.words(CONFIG_WORDS)
  const { DataTable } = console.components
  const value = ({ leaf: { schema } }: Change, one: unknown) => {
    if (one === undefined) return words.unset
    if (schema.writeOnly === true) return one === '' ? words.nothing : words.secret
    const text = shownText(schema, one)
    if (text === '') return words.nothing
    return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  }
  const columns: readonly Column<Change>[] = [
    {
      key: 'key',
      title: words.key,
      render: ({ leaf }) => (
        <div>
          {leaf.title}
          <Text size="xs" c="dimmed" ff="monospace">
            {leaf.path}
          </Text>
        </div>
      ),
    },
    {
      key: 'now',
      title: words.now,
      render: (change) => (
        <div>
          {value(change, change.leaf.value)}{' '}
          {change.leaf.source !== undefined && (
            <Badge variant="light" color="gray" size="sm" tt="none" fw={500}>
              {words.sources[change.leaf.source] ?? change.leaf.source}
            </Badge>
          )}
        </div>
      ),
    },
    {
      key: 'new',
      title: words.new,
      render: (change) => (
        <div>
          <Text size="sm" fw={600} span>
            {value(change, change.result)}
          </Text>{' '}
          {change.to === null && (
            <Badge variant="light" color="orange" size="sm" tt="none" fw={500}>
              {words.takenBack}
            </Badge>
          )}
        </div>
      ),
    },
    {
      key: 'effect',
      title: words.takesEffect,
      render: ({ leaf: { apply } }) => (isGlobal && apply === 'reload' ? words.applyGlobal : words.apply[apply]),
    },
  ]
  return (
    <DataTable
      label={words.new}
      columns={columns}
      rows={changes}
      rowKey={({ leaf }) => leaf.path}
      empty={words.nothing}
    />
  )
}
