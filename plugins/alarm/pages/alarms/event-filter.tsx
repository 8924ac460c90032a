import { Group, Select, TextInput } from '@mantine/core'
import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'
import { WORDS } from './alarms-words.ts'
import { EVENTS } from './alarm-level.ts'
import { recent, RECENT, type Period, type RecentName } from './period.ts'

/** The events that are asked for. */
export type Filter = {
  readonly period: Period
  /** The name of the events; empty is all. */
  readonly event: string
  /** The path of the stream; empty is all. */
  readonly streamPath: string
}

type Props = {
  readonly console: Console<Paths>
  readonly filter: Filter
  /** Names of events that plugins have raised. */
  readonly further: readonly string[]
  readonly onFilter: (filter: Filter) => void
}

/** The fields by which events are found. */
export function EventFilter({ console, filter, further, onFilter }: Props) {
  const words = console.words(WORDS)
  const { StreamPicker } = console.components
  const { period, event, streamPath } = filter
  const names = [...new Set([...EVENTS, ...further, ...(event === '' ? [] : [event])])]
  const setPeriod = (next: Period) => onFilter({ ...filter, period: next })
  return (
    <Group align="flex-end">
      <Select
        label={words.period}
        data={Object.entries(words.periods).map(([value, label]) => ({ value, label }))}
        value={period.kind === 'recent' ? period.name : period.kind}
        allowDeselect={false}
        onChange={(value) => setPeriod(periodOf(value ?? 'all'))}
        w={150}
      />
      {period.kind === 'between' && (
        <>
          <TextInput
            type="datetime-local"
            label={words.from}
            value={period.start}
            onChange={({ currentTarget }) => setPeriod({ ...period, start: currentTarget.value })}
          />
          <TextInput
            type="datetime-local"
            label={words.to}
            value={period.end}
            onChange={({ currentTarget }) => setPeriod({ ...period, end: currentTarget.value })}
          />
        </>
      )}
      <Select
        label={words.event}
        placeholder={words.anyEvent}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': words.anyEvent }}
        data={names.map((value) => ({ value, label: words.events[value] ?? value }))}
        value={event === '' ? null : event}
        onChange={(value) => onFilter({ ...filter, event: value ?? '' })}
        w={230}
      />
      <StreamPicker
        label={words.stream}
        value={streamPath}
        onChange={(value) => onFilter({ ...filter, streamPath: value })}
      />
    </Group>
  )
}

function periodOf(value: string): Period {
  if (value === 'between') return { kind: 'between', start: '', end: '' }
  return isRecent(value) ? recent(value, Date.now()) : { kind: 'all' }
}

function isRecent(value: string): value is RecentName {
  return Object.hasOwn(RECENT, value)
}
