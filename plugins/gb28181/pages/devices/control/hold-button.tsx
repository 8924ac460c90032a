import { ActionIcon } from '@mantine/core'
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react'
import type { Motion } from './motion.ts'
import type { MotionControl } from './use-motion.ts'

export type HoldButtonProps = {
  readonly label: string
  readonly motion: Motion
  readonly control: MotionControl
  readonly children: ReactNode
  readonly isDisabled: boolean
  /** False for buttons that the arrow keys of their pad stand for. Default true. */
  readonly isTabStop?: boolean
}

const MAIN_BUTTON = 0

/** A button that moves a camera while it is held, by pointer or by the keys that press buttons. */
export function HoldButton({ label, motion, control, children, isDisabled, isTabStop = true }: HoldButtonProps) {
  const { held, start, stop } = control
  const isHeld = held === label
  const end = () => isHeld && stop()
  const isPress = ({ key }: KeyboardEvent) => key === 'Enter' || key === ' '
  return (
    <ActionIcon
      size={44}
      variant={isHeld ? 'filled' : 'default'}
      aria-label={label}
      aria-pressed={isHeld}
      disabled={isDisabled}
      tabIndex={isTabStop ? 0 : -1}
      onPointerDown={({ button, currentTarget, pointerId }: PointerEvent<HTMLButtonElement>) => {
        if (button !== MAIN_BUTTON) return
        // A finger that slides off the button lets it go, as a mouse does.
        if (currentTarget.hasPointerCapture(pointerId)) currentTarget.releasePointerCapture(pointerId)
        start(label, motion)
      }}
      onPointerUp={end}
      onPointerLeave={end}
      onPointerCancel={end}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (!isPress(event) || event.repeat) return
        event.preventDefault()
        start(label, motion)
      }}
      onKeyUp={(event) => isPress(event) && end()}
      onBlur={end}
      style={{ touchAction: 'none' }}
    >
      {children}
    </ActionIcon>
  )
}
