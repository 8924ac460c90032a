import { Box, Text, VisuallyHidden } from '@mantine/core'
import { useId } from '@mantine/hooks'
import { useState, type KeyboardEvent, type MouseEvent } from 'react'
import { useConsole } from '../console-context.ts'
import { clockText, hoursOf, segmentsOf, type DayRange, type Recorded } from './recorded-day.ts'
import { RECORDINGS_WORDS } from './recordings-words.ts'

const HEIGHT = 44
const BAR_HEIGHT = 26
const HOURS_APART = 3
const STEP_MS = 60_000
const LONG_STEP_MS = 10 * STEP_MS
const COLORS: Readonly<Record<string, string>> = {
  alarm: 'var(--mantine-color-red-6)',
  manual: 'var(--mantine-color-yellow-6)',
}
const OTHER_COLOR = 'var(--mantine-primary-color-filled)'

export type TimeLineProps = {
  readonly range: DayRange
  readonly recorded: readonly Recorded[]
  /** The time that plays. */
  readonly atMs: number | undefined
  readonly onPlay: (fromMs: number) => void
}

/** The recordings of a day on a line, of which a time is chosen to play from, by the pointer or by keys. */
export function TimeLine({ range, recorded, atMs, onPlay }: TimeLineProps) {
  const words = useConsole().words(RECORDINGS_WORDS)
  const helpId = useId()
  const [chosenMs, setChosenMs] = useState<number>()
  const [hoverMs, setHoverMs] = useState<number>()
  const lengthMs = range.endMs - range.startMs
  const shownMs = clamp(chosenMs ?? atMs ?? recorded[0]?.startMs ?? range.startMs)

  function clamp(ms: number): number {
    return Math.max(range.startMs, Math.min(ms, range.endMs - 1000))
  }
  const share = (ms: number) => (ms - range.startMs) / lengthMs
  const timeAt = ({ clientX, currentTarget }: MouseEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return clamp(range.startMs + ((clientX - left) / width) * lengthMs)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const stepMs = event.shiftKey ? LONG_STEP_MS : STEP_MS
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: shownMs + stepMs,
      ArrowUp: shownMs + stepMs,
      ArrowLeft: shownMs - stepMs,
      ArrowDown: shownMs - stepMs,
      Home: range.startMs,
      End: range.endMs,
    }
    const target = targets[event.key]
    if (target !== undefined) setChosenMs(clamp(target))
    else if (event.key === 'Enter') play(shownMs)
    else return
    event.preventDefault()
  }
  const play = (ms: number) => {
    setChosenMs(undefined)
    onPlay(ms)
  }
  return (
    <Box>
      <VisuallyHidden id={helpId}>{words.timelineHelp}</VisuallyHidden>
      <Box
        role="slider"
        aria-label={words.timeline}
        aria-describedby={helpId}
        aria-valuemin={0}
        aria-valuemax={Math.round(lengthMs / 1000)}
        aria-valuenow={Math.round((shownMs - range.startMs) / 1000)}
        aria-valuetext={clockText(shownMs)}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onClick={(event) => play(timeAt(event))}
        onMouseMove={(event) => setHoverMs(timeAt(event))}
        onMouseLeave={() => setHoverMs(undefined)}
        h={HEIGHT}
        style={{ position: 'relative', cursor: 'pointer' }}
      >
        <Box
          h={BAR_HEIGHT}
          bg="var(--mantine-color-default-border)"
          style={{ position: 'relative', overflow: 'hidden', borderRadius: 'var(--mantine-radius-sm)' }}
        >
          {segmentsOf(recorded, range).map(({ left, width, type }, index) => (
            <Box
              key={index}
              h="100%"
              style={{
                position: 'absolute',
                left: `${left * 100}%`,
                width: `max(${width * 100}%, 1px)`,
                background: COLORS[type] ?? OTHER_COLOR,
              }}
            />
          ))}
        </Box>
        {hoursOf(range).flatMap(({ hour, left }) =>
          hour % HOURS_APART !== 0
            ? []
            : [
                <Text
                  key={left}
                  size="xs"
                  c="dimmed"
                  aria-hidden
                  style={{ position: 'absolute', left: `${left * 100}%`, top: BAR_HEIGHT + 1 }}
                >
                  {String(hour).padStart(2, '0')}
                </Text>,
              ],
        )}
        {(chosenMs ?? atMs) !== undefined && <Mark at={share(shownMs)} text={clockText(shownMs)} />}
        {hoverMs !== undefined && <Mark at={share(hoverMs)} text={clockText(hoverMs)} isFaint />}
      </Box>
    </Box>
  )
}

type MarkProps = {
  /** From 0 to 1. */
  readonly at: number
  readonly text: string
  readonly isFaint?: boolean
}

/** A time on the line, with its text below, which stays within the line. */
function Mark({ at, text, isFaint = false }: MarkProps) {
  return (
    <Box
      aria-hidden
      style={{ position: 'absolute', left: `${at * 100}%`, top: -4, pointerEvents: 'none', opacity: isFaint ? 0.7 : 1 }}
    >
      <Box w={2} h={BAR_HEIGHT + 8} bg="var(--mantine-color-text)" />
      <Text
        size="xs"
        px={4}
        bg="var(--mantine-color-body)"
        style={{ position: 'absolute', top: BAR_HEIGHT + 5, transform: `translateX(-${at * 100}%)` }}
      >
        {text}
      </Text>
    </Box>
  )
}
