import { Box, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useRef, type CSSProperties, type PointerEvent, type ReactNode } from 'react'
import { dayName, hourText, type PageConsole } from '../page-console.ts'
import { WORDS } from '../plans-words.ts'
import { DAYS_SHOWN, HOURS_A_DAY, indexOf, painted, toggled, type HourAt, type WeekHours } from '../week-hours.ts'
import { useGridKeys, type GridPlace } from './use-grid-keys.ts'

type WeekGridProps = {
  readonly console: PageConsole
  readonly hours: WeekHours
  readonly onChange: (hours: WeekHours) => void
}

type Painting = { readonly from: HourAt; readonly before: WeekHours; readonly isOn: boolean }

const HOURS = Array.from({ length: HOURS_A_DAY }, (_, hour) => hour)
const NARROW = '(max-width: 48em)'

/**
 * The hours of a week to paint: by dragging, by the keyboard, and by the heads of days and hours. Days are rows, and columns on
 * a phone.
 */
export function WeekGrid({ console, hours, onChange }: WeekGridProps) {
  const words = console.words(WORDS)
  const isNarrow = useMediaQuery(NARROW)
  const isDisabled = !console.user.mayChange
  const [rows, columns] = isNarrow ? [HOURS, DAYS_SHOWN] : [DAYS_SHOWN, HOURS]
  const hourOf = ({ row, column }: GridPlace): HourAt =>
    isNarrow ? { day: DAYS_SHOWN[column] ?? 0, hour: row } : { day: DAYS_SHOWN[row] ?? 0, hour: column }
  const isOnAt = (at: HourAt) => hours[indexOf(at)] === true
  const change = (next: WeekHours) => {
    if (!isDisabled) onChange(next)
  }
  const painting = useRef<Painting>(undefined)
  const { onKeyDown, at } = useGridKeys(rows.length, columns.length, (from, to) => {
    if ([from, to].some(({ row, column }) => row < 0 || column < 0)) return
    change(painted(hours, hourOf(to), hourOf(to), isOnAt(hourOf(from))))
  })

  const begin = (place: HourAt) => {
    const isOn = !isOnAt(place)
    painting.current = { from: place, before: hours, isOn }
    change(painted(hours, place, place, isOn))
  }
  const drag = ({ clientX, clientY, buttons }: PointerEvent) => {
    // The button may have been let go outside the grid.
    if (buttons === 0) painting.current = undefined
    const begun = painting.current
    const index = indexUnder(clientX, clientY)
    if (begun === undefined || index === undefined) return
    const to = { day: Math.floor(index / HOURS_A_DAY), hour: index % HOURS_A_DAY }
    change(painted(begun.before, begun.from, to, begun.isOn))
  }
  const end = () => {
    painting.current = undefined
  }
  const dayHead = (day: number, place: GridPlace) => (
    <Head
      key={day}
      role={isNarrow ? 'columnheader' : 'rowheader'}
      label={words.wholeDay(dayName(console, day, 'long'))}
      focus={at(place)}
      onPress={() => change(toggled(hours, (one) => one.day === day))}
    >
      {dayName(console, day, 'short')}
    </Head>
  )
  const hourHead = (hour: number, place: GridPlace) => (
    <Head
      key={hour}
      role={isNarrow ? 'rowheader' : 'columnheader'}
      label={words.hourOfAll(`${hourText(hour)}–${hourText(hour + 1)}`)}
      focus={at(place)}
      onPress={() => change(toggled(hours, (one) => one.hour === hour))}
    >
      {isNarrow ? hourText(hour) : hour}
    </Head>
  )
  return (
    <Box
      role="grid"
      aria-label={words.grid}
      aria-describedby="week-grid-text"
      aria-readonly={isDisabled}
      onKeyDown={onKeyDown}
      onPointerMove={drag}
      onPointerUp={end}
      onPointerCancel={end}
      style={{ display: 'grid', gap: 2, userSelect: 'none', touchAction: 'pan-y' }}
    >
      <Row columns={columns.length}>
        <Head
          role="columnheader"
          label={words.wholeWeek}
          focus={at({ row: -1, column: -1 })}
          onPress={() => change(toggled(hours, () => true))}
        >
          {words.week}
        </Head>
        {columns.map((one, column) => (isNarrow ? dayHead : hourHead)(one, { row: -1, column }))}
      </Row>
      {rows.map((one, row) => (
        <Row key={one} columns={columns.length}>
          {(isNarrow ? hourHead : dayHead)(one, { row, column: -1 })}
          {columns.map((__, column) => {
            const place = { row, column }
            const hour = hourOf(place)
            return (
              <Cell
                key={indexOf(hour)}
                index={indexOf(hour)}
                label={words.cell(
                  dayName(console, hour.day, 'long'),
                  hourText(hour.hour),
                  hourText(hour.hour + 1),
                  isOnAt(hour) ? words.on : words.off,
                )}
                isOn={isOnAt(hour)}
                focus={at(place)}
                onBegin={() => begin(hour)}
                onToggle={() => change(painted(hours, hour, hour, !isOnAt(hour)))}
              />
            )
          })}
        </Row>
      ))}
    </Box>
  )
}

type Focus = ReturnType<ReturnType<typeof useGridKeys>['at']>

function Row({ columns, children }: { readonly columns: number; readonly children: ReactNode }) {
  return (
    <Box
      role="row"
      style={{ display: 'grid', gap: 2, gridTemplateColumns: `minmax(44px, max-content) repeat(${columns}, 1fr)` }}
    >
      {children}
    </Box>
  )
}

type HeadProps = {
  readonly role: 'columnheader' | 'rowheader'
  readonly label: string
  readonly focus: Focus
  readonly onPress: () => void
  readonly children: ReactNode
}

function Head({ role, label, focus, onPress, children }: HeadProps) {
  return (
    <Box role={role} miw={0}>
      <UnstyledButton {...focus} title={label} w="100%" h={26} fz="xs" c="dimmed" ta="center" onClick={onPress}>
        <span aria-hidden>{children}</span>
        <VisuallyHidden>{label}</VisuallyHidden>
      </UnstyledButton>
    </Box>
  )
}

type CellProps = {
  readonly index: number
  readonly label: string
  readonly isOn: boolean
  readonly focus: Focus
  readonly onBegin: () => void
  readonly onToggle: () => void
}

const CELL: CSSProperties = { height: 26, borderRadius: 3, cursor: 'pointer', outlineOffset: 1 }

function Cell({ index, label, isOn, focus, onBegin, onToggle }: CellProps) {
  return (
    <Box
      {...focus}
      role="gridcell"
      aria-selected={isOn}
      aria-label={label}
      title={label}
      data-index={index}
      className="mantine-focus-auto"
      bg={
        isOn
          ? 'var(--mantine-primary-color-filled)'
          : 'light-dark(var(--mantine-color-gray-2), var(--mantine-color-dark-5))'
      }
      style={CELL}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        // Of a touch, the element below it would get all that follows.
        event.currentTarget.releasePointerCapture(event.pointerId)
        onBegin()
      }}
      onKeyDown={(event) => {
        if (event.key !== ' ' && event.key !== 'Enter') return
        event.preventDefault()
        onToggle()
      }}
    />
  )
}

/** The hour of the cell at a place of the window. */
function indexUnder(x: number, y: number): number | undefined {
  const index = document.elementFromPoint(x, y)?.closest('[data-index]')?.getAttribute('data-index')
  return index === null || index === undefined ? undefined : Number(index)
}
