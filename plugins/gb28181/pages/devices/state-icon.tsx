import { Text } from '@mantine/core'
import { BroadcastIcon, CircleSlashIcon, DotFillIcon } from '@primer/octicons-react'
import type { DeviceState } from './channel.ts'
import { useConsole } from './console-context.ts'
import { PAGE_WORDS } from './page-words.ts'

const ICONS = { online: DotFillIcon, busy: BroadcastIcon, offline: CircleSlashIcon } as const
const COLORS = { online: 'green', busy: 'blue', offline: 'dimmed' } as const

/** The state of a device or channel as a picture, which its text is beside. */
export function StateIcon({ state }: { readonly state: DeviceState }) {
  const Icon = ICONS[state]
  return (
    <Text component="span" c={COLORS[state]} lh={0} aria-hidden>
      <Icon size={14} />
    </Text>
  )
}

/** The state as picture and text. */
export function StateText({ state }: { readonly state: DeviceState }) {
  const words = useConsole().words(PAGE_WORDS)
  return (
    <Text component="span" size="sm" style={{ display: 'inline-flex', alignItems: 'center', gap: 6 }}>
      <StateIcon state={state} />
      {words.states[state]}
    </Text>
  )
}
