import { Group, Text, ThemeIcon } from '@mantine/core'
import { AlertIcon, InfoIcon, StopIcon, type Icon } from '@primer/octicons-react'
import type { WORDS } from './alarms-words.ts'
import { levelOf, type Level } from './alarm-level.ts'

const MARKS: Readonly<Record<Level, { readonly icon: Icon; readonly color: string }>> = {
  critical: { icon: StopIcon, color: 'red' },
  warning: { icon: AlertIcon, color: 'orange' },
  info: { icon: InfoIcon, color: 'blue' },
}

/** The level of an event. */
export function LevelMark({ name, words }: { readonly name: string; readonly words: (typeof WORDS)['en'] }) {
  const level = levelOf(name)
  const { icon: LevelIcon, color } = MARKS[level]
  return (
    <Group gap={8} wrap="nowrap">
      <ThemeIcon variant="light" size={22} radius="xl" color={color}>
        <LevelIcon size={12} />
      </ThemeIcon>
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {words.levels[level]}
      </Text>
    </Group>
  )
}
