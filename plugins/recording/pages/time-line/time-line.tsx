import { Box, Text, UnstyledButton } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import {
  useEffect,
  useRef,
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { clockOf, type TimeRange } from '../calendar.ts'
import { moved, placeIn, ticksOf, timeAt, zoomed, type Span } from './time-scale.ts'
import type { RecordedEvent, RecordedTag } from '../stream/use-day.ts'

type TimeLineProps = {
  /** Its name for screen readers. */
  readonly label: string
  /** The keys that it takes, in words. */
  readonly description: string
  readonly eventLabel: string
  readonly tagLabel: string
  readonly day: TimeRange
  readonly view: TimeRange
  readonly onView: (view: TimeRange) => void
  readonly spans: readonly Span[]
  readonly events: readonly RecordedEvent[]
  readonly tags: readonly RecordedTag[]
  /** The time that is played or chosen. */
  readonly atMs: number
  readonly onPick: (ms: number) => void
}

const TICK_WIDTH = 84
const TICK_HALF = 30
const TICKS_HEIGHT = 22
const BAND_HEIGHT = 40
const LANE_HEIGHT = 24
/** A pointer that has moved so far drags the line; a shorter way is a click. */
const DRAG_PX = 5
/** More marks than these would lie upon each other. */
const MOST_MARKS = 100
const STEPS_MS: Readonly<Record<string, number>> = {
  ArrowLeft: -10_000,
  ArrowRight: 10_000,
  PageDown: -300_000,
  PageUp: 300_000,
}
const ZOOMS: Readonly<Record<string, number>> = { '+': 0.5, '=': 0.5, '-': 2 }

/** A day: the recorded parts as a band, events and tags below it. It is dragged and zoomed, and a click picks a time. */
export function TimeLine(props: TimeLineProps) {
  const { day, view, onView, spans, atMs, onPick } = props
  const { ref, width } = useElementSize()
  const band = useRef<HTMLDivElement>(null)
  const drag = useRef<{ readonly x: number; readonly view: TimeRange; isMoved: boolean }>(undefined)
  useWheel(band, props)

  const placeOf = (clientX: number) => {
    const { left = 0, width: wide = 1 } = band.current?.getBoundingClientRect() ?? {}
    return (clientX - left) / wide
  }
  const onPointerMove = ({ clientX }: PointerEvent) => {
    const begun = drag.current
    if (begun === undefined) return
    const byPx = begun.x - clientX
    if (Math.abs(byPx) >= DRAG_PX) begun.isMoved = true
    if (begun.isMoved) onView(moved(begun.view, day, (byPx / Math.max(1, width)) * (view.toMs - view.fromMs)))
  }
  const onPointerUp = ({ clientX }: PointerEvent) => {
    if (drag.current?.isMoved === false) onPick(timeAt(view, placeOf(clientX)))
    drag.current = undefined
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    const zoom = ZOOMS[key]
    const step = STEPS_MS[key]
    const target = key === 'Home' ? spans[0]?.fromMs : key === 'End' ? (spans.at(-1)?.toMs ?? 0) - 10_000 : undefined
    if (zoom !== undefined) onView(zoomed(view, day, zoom, atMs))
    else if (step !== undefined) onPick(Math.min(day.toMs - 1, Math.max(day.fromMs, atMs + step)))
    else if (target !== undefined) onPick(target)
    else return
    event.preventDefault()
  }
  return (
    <Box ref={ref} pos="relative" style={{ overflow: 'hidden', userSelect: 'none' }}>
      <Ticks view={view} width={width} times={ticksOf(view, day, Math.max(2, Math.floor(width / TICK_WIDTH)))} />
      <Box
        ref={band}
        role="slider"
        tabIndex={0}
        aria-label={props.label}
        aria-description={props.description}
        aria-valuemin={0}
        aria-valuemax={Math.round((day.toMs - day.fromMs) / 1000)}
        aria-valuenow={Math.round((atMs - day.fromMs) / 1000)}
        aria-valuetext={clockOf(atMs)}
        pos="relative"
        h={BAND_HEIGHT}
        bg="light-dark(var(--mantine-color-gray-2), var(--mantine-color-dark-5))"
        style={{ cursor: 'pointer', touchAction: 'pan-y', borderRadius: 'var(--mantine-radius-sm)' }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          drag.current = { x: event.clientX, view, isMoved: false }
        }}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => {
          drag.current = undefined
        }}
        onKeyDown={onKeyDown}
      >
        {spans.filter(isSeenIn(view)).map((span) => (
          <Box
            key={span.fromMs}
            pos="absolute"
            top={0}
            bottom={0}
            bg={span.isActive ? 'var(--mantine-color-red-filled)' : 'var(--mantine-primary-color-filled)'}
            style={extent(view, span)}
          />
        ))}
      </Box>
      <Lane marks={props.events.filter(isSeenIn(view)).slice(0, MOST_MARKS)}>
        {(event) => (
          <Mark
            key={event.id}
            label={`${props.eventLabel}: ${event.name}, ${clockOf(event.fromMs)}`}
            text={event.name}
            color={event.isHigh ? 'pink' : 'orange'}
            style={{ ...extent(view, event), minWidth: 8 }}
            onClick={() => onPick(event.fromMs)}
          />
        )}
      </Lane>
      <Lane marks={props.tags.filter(({ atMs: ms }) => ms >= view.fromMs && ms <= view.toMs).slice(0, MOST_MARKS)}>
        {(tag) => (
          <Mark
            key={tag.id}
            label={`${props.tagLabel}: ${tag.name}, ${clockOf(tag.atMs)}`}
            text={tag.name}
            color="violet"
            style={{ ...anchor(placeIn(view, tag.atMs)), maxWidth: 140 }}
            onClick={() => onPick(tag.atMs)}
          />
        )}
      </Lane>
      {atMs >= view.fromMs && atMs <= view.toMs && (
        <Box
          pos="absolute"
          top={TICKS_HEIGHT - 4}
          bottom={0}
          w={2}
          bg="var(--mantine-color-text)"
          style={{ left: percent(placeIn(view, atMs)), pointerEvents: 'none' }}
        />
      )}
    </Box>
  )
}

type TicksProps = { readonly view: TimeRange; readonly width: number; readonly times: readonly number[] }

function Ticks({ view, width, times }: TicksProps) {
  const hasSeconds = (times[1] ?? 0) - (times[0] ?? 0) < 60_000
  return (
    <Box pos="relative" h={TICKS_HEIGHT} aria-hidden>
      {times.map((ms) => {
        const place = placeIn(view, ms)
        // The first and the last text stay within the line.
        const leftPx = place * width
        const shift = leftPx < TICK_HALF ? '0' : width - leftPx < TICK_HALF ? '-100%' : '-50%'
        return (
          <Text
            key={ms}
            size="xs"
            c="dimmed"
            pos="absolute"
            style={{ left: percent(place), transform: `translateX(${shift})`, whiteSpace: 'nowrap' }}
          >
            {clockOf(ms, hasSeconds)}
          </Text>
        )
      })}
    </Box>
  )
}

/** A row of marks, which keeps its place where there is none. */
function Lane<Item>({
  marks,
  children,
}: {
  readonly marks: readonly Item[]
  readonly children: (mark: Item) => ReactNode
}) {
  return (
    <Box pos="relative" h={LANE_HEIGHT} mt={4}>
      {marks.map(children)}
    </Box>
  )
}

type MarkProps = {
  readonly label: string
  readonly text: string
  readonly color: string
  readonly style: CSSProperties
  readonly onClick: () => void
}

function Mark({ label, text, color, style, onClick }: MarkProps) {
  return (
    <UnstyledButton
      aria-label={label}
      title={label}
      pos="absolute"
      h={LANE_HEIGHT}
      px={4}
      fz="xs"
      bg={`var(--mantine-color-${color}-light)`}
      c={`var(--mantine-color-${color}-light-color)`}
      style={{
        ...style,
        overflow: 'hidden',
        whiteSpace: 'nowrap',
        textOverflow: 'ellipsis',
        borderLeft: `2px solid var(--mantine-color-${color}-filled)`,
      }}
      onClick={onClick}
    >
      {text}
    </UnstyledButton>
  )
}

/** Zooms by a wheel with Ctrl, as two fingers on a touchpad send it, and moves by a wheel that goes sideways. */
function useWheel(band: RefObject<HTMLDivElement | null>, { day, view, onView }: TimeLineProps) {
  useEffect(() => {
    const element = band.current
    const onWheel = (event: WheelEvent) => {
      const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect()
      const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY)
      if (!event.ctrlKey && !isSideways) return
      event.preventDefault()
      if (event.ctrlKey) {
        const aroundMs = timeAt(view, (event.clientX - left) / width)
        onView(zoomed(view, day, event.deltaY < 0 ? 0.8 : 1.25, aroundMs))
      } else onView(moved(view, day, (event.deltaX / width) * (view.toMs - view.fromMs)))
    }
    // Listeners of React can't keep the page from being zoomed.
    element?.addEventListener('wheel', onWheel, { passive: false })
    return () => element?.removeEventListener('wheel', onWheel)
  }, [band, day, view, onView])
}

function isSeenIn(view: TimeRange) {
  return ({ fromMs, toMs }: TimeRange) => toMs >= view.fromMs && fromMs <= view.toMs
}

/** The place of a span in the view. One that is shorter than two pixels is drawn as two. */
function extent(view: TimeRange, { fromMs, toMs }: TimeRange): CSSProperties {
  const [left, right] = [Math.max(0, placeIn(view, fromMs)), Math.min(1, placeIn(view, toMs))]
  return { left: percent(left), width: percent(right - left), minWidth: 2 }
}

/** Texts near the end of the line stand before their time. */
function anchor(place: number): CSSProperties {
  return place > 0.8 ? { right: percent(1 - place) } : { left: percent(place) }
}

function percent(part: number): string {
  return `${(100 * part).toFixed(3)}%`
}
