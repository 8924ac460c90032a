import { Group, Stack, Text } from '@mantine/core'
import { DashIcon, PlusIcon } from '@primer/octicons-react'
import { useConsole } from '../console-context.ts'
import { CONTROL_WORDS } from './control-words.ts'
import { HoldButton } from './hold-button.tsx'
import type { Motion } from './motion.ts'
import type { MotionControl } from './use-motion.ts'

type LensName = 'zoom' | 'focus' | 'iris'

const MOTIONS: Readonly<Record<LensName, readonly [less: Motion, more: Motion]>> = {
  zoom: [
    { kind: 'move', x: 0, y: 0, zoom: -1 },
    { kind: 'move', x: 0, y: 0, zoom: 1 },
  ],
  focus: [
    { kind: 'focus', command: 'near' },
    { kind: 'focus', command: 'far' },
  ],
  iris: [
    { kind: 'iris', command: 'out' },
    { kind: 'iris', command: 'in' },
  ],
}
const NAMES: readonly LensName[] = ['zoom', 'focus', 'iris']

/** Zoom, focus and iris, by buttons that are held. */
export function LensButtons({
  control,
  isDisabled,
}: {
  readonly control: MotionControl
  readonly isDisabled: boolean
}) {
  const words = useConsole().words(CONTROL_WORDS)
  return (
    <Stack gap={4}>
      {NAMES.map((name) => {
        const { title, less, more } = words.lens[name]
        const [down, up] = MOTIONS[name]
        return (
          <Group key={name} gap="xs" wrap="nowrap">
            <HoldButton label={less} motion={down} control={control} isDisabled={isDisabled}>
              <DashIcon />
            </HoldButton>
            <Text size="sm" ta="center" w={52}>
              {title}
            </Text>
            <HoldButton label={more} motion={up} control={control} isDisabled={isDisabled}>
              <PlusIcon />
            </HoldButton>
          </Group>
        )
      })}
    </Stack>
  )
}
