import { Box, Text } from '@mantine/core'
import {
  ArrowDownIcon,
  ArrowDownLeftIcon,
  ArrowDownRightIcon,
  ArrowLeftIcon,
  ArrowRightIcon,
  ArrowUpIcon,
  ArrowUpLeftIcon,
  ArrowUpRightIcon,
  type Icon,
} from '@primer/octicons-react'
import { useRef, type KeyboardEvent } from 'react'
import { useConsole } from '../console-context.ts'
import { CONTROL_WORDS } from './control-words.ts'
import { HoldButton } from './hold-button.tsx'
import { motionOfKeys } from './motion.ts'
import type { MotionControl } from './use-motion.ts'

type Direction = 'upLeft' | 'up' | 'upRight' | 'left' | 'right' | 'downLeft' | 'down' | 'downRight'
type Step = -1 | 0 | 1

const PAD: readonly (readonly [Direction, Step, Step, Icon] | undefined)[] = [
  ['upLeft', -1, 1, ArrowUpLeftIcon],
  ['up', 0, 1, ArrowUpIcon],
  ['upRight', 1, 1, ArrowUpRightIcon],
  ['left', -1, 0, ArrowLeftIcon],
  undefined,
  ['right', 1, 0, ArrowRightIcon],
  ['downLeft', -1, -1, ArrowDownLeftIcon],
  ['down', 0, -1, ArrowDownIcon],
  ['downRight', 1, -1, ArrowDownRightIcon],
]
const KEYS: ReadonlySet<string> = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', '+', '-'])

export type PtzPadProps = { readonly control: MotionControl; readonly isDisabled: boolean }

/** The eight directions: by buttons that are held, and by the arrow keys, also two together. */
export function PtzPad({ control, isDisabled }: PtzPadProps) {
  const words = useConsole().words(CONTROL_WORDS)
  const pressed = useRef(new Set<string>())

  const moveByKeys = () => {
    const motion = motionOfKeys(pressed.current)
    if (motion === undefined) control.stop()
    else control.start(words.pad, motion)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const key = event.key === '=' ? '+' : event.key
    if (isDisabled || !KEYS.has(key) || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    if (event.repeat) return
    pressed.current.add(key)
    moveByKeys()
  }
  const onKeyUp = ({ key }: KeyboardEvent) => {
    if (pressed.current.delete(key === '=' ? '+' : key)) moveByKeys()
  }
  const letGo = () => {
    if (pressed.current.size === 0) return
    pressed.current.clear()
    control.stop()
  }
  return (
    <Box
      role="group"
      aria-label={words.pad}
      tabIndex={isDisabled ? -1 : 0}
      onKeyDown={onKeyDown}
      onKeyUp={onKeyUp}
      onBlur={letGo}
      p={4}
      style={{
        display: 'grid',
        gridTemplateColumns: 'repeat(3, 44px)',
        gap: 4,
        width: 'max-content',
        borderRadius: 'var(--mantine-radius-md)',
      }}
    >
      {PAD.map((place) => {
        if (place === undefined) {
          return (
            <Text key="keys" size="xs" c="dimmed" ta="center" style={{ alignSelf: 'center', lineHeight: 1.2 }}>
              {words.padKeys}
            </Text>
          )
        }
        const [name, x, y, Arrow] = place
        return (
          <HoldButton
            key={name}
            label={words.directions[name]}
            motion={{ kind: 'move', x, y, zoom: 0 }}
            control={control}
            isDisabled={isDisabled}
            isTabStop={false}
          >
            <Arrow />
          </HoldButton>
        )
      })}
    </Box>
  )
}
