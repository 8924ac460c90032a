import { Badge, Group } from '@mantine/core'
import type { Plugin } from './plugin-list.ts'
import type { WORDS } from './plugin-words.ts'

const COLORS: Readonly<Record<string, string>> = { running: 'teal', starting: 'blue', off: 'gray', disabled: 'red' }

/** Badges with the state of a plugin, and that its newest version has failed. */
export function PluginState({ plugin, words }: { readonly plugin: Plugin; readonly words: (typeof WORDS)['en'] }) {
  const { state = 'running', lastError } = plugin.description
  return (
    <Group gap={4}>
      <Badge variant="light" color={COLORS[state] ?? 'gray'} tt="none" miw="max-content">
        {words.states[state] ?? state}
      </Badge>
      {lastError !== undefined && (
        <Badge variant="light" color="orange" tt="none" miw="max-content">
          {words.stale}
        </Badge>
      )}
    </Group>
  )
}
