import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useConsole } from '../console-context.ts'
import { timeInDay, type DayRange } from './recorded-day.ts'
import { RECORDINGS_WORDS } from './recordings-words.ts'

const FIRST = '00:00:00'
const FIRST_END = '00:10:00'

export type DownloadRangeProps = { readonly range: DayRange; readonly onDownload: (range: DayRange) => void }

/** Asks for a part of the day to download. */
export function DownloadRange({ range, onDownload }: DownloadRangeProps) {
  const words = useConsole().words(RECORDINGS_WORDS)
  const [from, setFrom] = useState(FIRST)
  const [to, setTo] = useState(FIRST_END)
  const [startMs, endMs] = [timeInDay(range, from), timeInDay(range, to)]
  const isRight = startMs !== undefined && endMs !== undefined && endMs > startMs
  return (
    <Group gap="xs" align="flex-end">
      <TextInput
        size="xs"
        type="time"
        step={1}
        label={words.from}
        value={from}
        onChange={({ currentTarget }) => setFrom(currentTarget.value)}
      />
      <TextInput
        size="xs"
        type="time"
        step={1}
        label={words.to}
        value={to}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
      />
      <Button size="xs" variant="default" disabled={!isRight} onClick={() => isRight && onDownload({ startMs, endMs })}>
        {words.download}
      </Button>
    </Group>
  )
}
