import { Group, Text, ThemeIcon } from '@mantine/core'
import { ClockIcon, DownloadIcon, SquareFillIcon, SyncIcon, UploadIcon, type Icon } from '@primer/octicons-react'
import type { Job, Kind } from './job.ts'
import type { WORDS } from './relays-words.ts'

const COLORS: Readonly<Record<string, string>> = { connecting: 'blue', running: 'teal', retrying: 'orange' }

function iconOf(state: string, kind: Kind): Icon {
  if (state === 'running') return kind === 'pull' ? DownloadIcon : UploadIcon
  if (state === 'ended') return SquareFillIcon
  return state === 'waiting' ? ClockIcon : SyncIcon
}

type Props = { readonly job: Job; readonly kind: Kind; readonly words: (typeof WORDS)['en'] }

/** The state of a pull or push. */
export function JobState({ job: { state }, kind, words }: Props) {
  const StateIcon = iconOf(state, kind)
  return (
    <Group gap={8} wrap="nowrap">
      <ThemeIcon variant="light" size={22} radius="xl" color={COLORS[state] ?? 'gray'}>
        <StateIcon size={12} />
      </ThemeIcon>
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {words.states[state] ?? state}
      </Text>
    </Group>
  )
}
