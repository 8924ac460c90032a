import { Card, Stack, Tabs } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { TimeRange } from '../calendar.ts'
import { EventDialog } from './event-dialog.tsx'
import { EventList } from './event-list.tsx'
import { FileList } from './file-list.tsx'
import { playlistAddress } from './media-address.ts'
import type { PageConsole, Subject } from '../page-console.ts'
import { RangeDownload } from './range-download.tsx'
import { RecordingPlayer } from '../player/recording-player.tsx'
import { WORDS } from '../recordings-words.ts'
import { TagList } from './tag-list.tsx'
import { TimeCard } from '../time-line/time-card.tsx'
import { nextBeginning, nextRecorded, previousBeginning, showing, spansOf } from '../time-line/time-scale.ts'
import { useDay } from './use-day.ts'
import { useRangePlayback } from '../player/use-range-playback.ts'

/** Media that ends so long before the next begins is followed by it without a leap. */
const SLACK_MS = 1000

type DayViewProps = {
  readonly console: PageConsole
  readonly subject: Subject
  readonly date: string
  readonly plugins: ReadonlySet<string> | undefined
  readonly onDay: (days: number) => void
}

/** The player, the time line and the lists of a day. */
export function DayView({ console, subject, date, plugins, onDay }: DayViewProps) {
  const words = console.words(WORDS)
  const { Problem } = console.components
  const hasTags = plugins?.has('mp4') === true
  const { day, files, events, tags, error, refreshFiles, refreshEvents, refreshTags } = useDay(
    console,
    subject,
    date,
    hasTags,
  )
  const isForEvents = hasTags && subject.type === 'mp4' && console.user.mayChange
  const spans = useMemo(() => spansOf(files ?? [], day), [files, day])
  const [view, setView] = useState(day)
  const [chosenMs, setChosenMs] = useState<number>()
  const atMs = chosenMs ?? spans[0]?.fromMs ?? day.fromMs

  const { video, problem, isStarted, playFrom } = useRangePlayback({
    unsupported: words.noPlayer,
    addressOf(range: TimeRange) {
      const codecs = files?.find(({ toMs }) => toMs > range.fromMs)?.codecs ?? ''
      return playlistAddress(console, subject, range, codecs)
    },
    onTime(ms) {
      setChosenMs(ms)
      // A view that somebody has moved away stays there.
      if (atMs >= view.fromMs && atMs <= view.toMs) setView(showing(view, day, ms))
    },
    onEnd(endMs) {
      const next = nextRecorded(spans, endMs + SLACK_MS)
      if (next !== undefined) playFrom(next)
    },
  })
  const pick = (ms: number) => {
    const next = nextRecorded(spans, ms)
    setChosenMs(next ?? ms)
    if (next === undefined) return console.notify(words.nothingThen, 'failed')
    setView(showing(view, day, next))
    playFrom(next)
  }
  const notice = () => {
    if (problem !== undefined) return `${words.cannotPlay} ${problem}`
    if (plugins?.has('hls') === false) return words.noHls
    if (isStarted || files === undefined) return undefined
    return files.length === 0 ? words.nothingOnDay : words.choose
  }
  return (
    <Stack>
      {error !== undefined && <Problem error={error} onRetry={() => void refreshFiles()} />}
      <Card withBorder padding={0}>
        <RecordingPlayer
          console={console}
          video={video}
          notice={notice()}
          atMs={atMs}
          onStart={() => pick(atMs)}
          onMove={(byMs) => pick(Math.max(day.fromMs, atMs + byMs))}
          onPreviousFile={() => pick(previousBeginning(files ?? [], atMs) ?? atMs)}
          onNextFile={() => pick(nextBeginning(files ?? [], atMs) ?? day.toMs)}
        />
      </Card>
      <TimeCard
        console={console}
        date={date}
        day={day}
        view={view}
        onView={setView}
        onDay={onDay}
        spans={spans}
        events={events ?? []}
        tags={tags ?? []}
        atMs={atMs}
        onPick={pick}
        actions={<RangeDownload console={console} subject={subject} date={date} offered={view} />}
      />
      <Tabs defaultValue="files" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="files">{words.files}</Tabs.Tab>
          <Tabs.Tab value="events">{words.events}</Tabs.Tab>
          {hasTags && <Tabs.Tab value="tags">{words.tags}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="files">
          <FileList console={console} subject={subject} day={day} files={files} onPick={pick} onChange={refreshFiles} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <EventList
            console={console}
            events={events}
            onPick={pick}
            action={
              isForEvents ? (
                <EventDialog console={console} streamPath={subject.streamPath} onRecorded={refreshEvents} />
              ) : undefined
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="tags">
          <TagList
            console={console}
            streamPath={subject.streamPath}
            tags={tags}
            atMs={atMs}
            onPick={pick}
            onChange={refreshTags}
          />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}
