import { Badge, Stack, Tooltip } from '@mantine/core'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { shownText } from './changes.ts'
import { CONFIG_WORDS } from './config-words.ts'
import type { Leaf } from './section-model.ts'

const COLORS: Readonly<Record<string, string>> = { global: 'blue', file: 'teal', env: 'grape', modify: 'orange' }

/** The source of a value; all that is set for the key, and the places of it, in a tooltip. */
export function SourceBadge({ console, leaf }: { readonly console: Console<Paths>; readonly leaf: Leaf }) {
  const words = console.words(CONFIG_WORDS)
  const { source, layers, schema } = leaf
  if (source === undefined) return null
  const nameOf = (one: string) => words.sources[one] ?? one
  const badge = (
    <Badge
      component="button"
      type="button"
      variant="light"
      size="sm"
      color={COLORS[source] ?? 'gray'}
      tt="none"
      fw={500}
      style={{ cursor: 'help' }}
      aria-label={words.source(nameOf(source))}
    >
      {nameOf(source)}
    </Badge>
  )
  const lines = (
    <Stack gap={2}>
      {layers.map(({ source: one, value, place, by, time }) => (
        <div key={one}>
          {nameOf(one)}: {shownText(schema, value) || '–'} ({place}
          {by !== undefined && `, ${words.setBy(by, console.format.time(time))}`})
        </div>
      ))}
    </Stack>
  )
  return (
    <Tooltip label={lines} multiline maw={420} withArrow events={{ hover: true, focus: true, touch: true }}>
      {badge}
    </Tooltip>
  )
}
