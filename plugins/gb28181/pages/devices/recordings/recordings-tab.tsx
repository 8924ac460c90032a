import { ActionIcon, Alert, Group, Stack, TextInput } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import { ChevronLeftIcon, ChevronRightIcon } from '@primer/octicons-react'
import { useMemo, useState } from 'react'
import type { ChannelIds } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import { DownloadRange } from './download-range.tsx'
import { Downloads } from './downloads.tsx'
import { PlaybackView } from './playback-view.tsx'
import { dayAfter, dayOf, dayRange, playableFrom, recordedOf, type DayRange } from './recorded-day.ts'
import { RecordingList } from './recording-list.tsx'
import { RECORDINGS_WORDS } from './recordings-words.ts'
import { TimeLine } from './time-line.tsx'
import { usePlayback } from './use-playback.ts'

const DOWNLOADS_KEY = 'sluice.gb28181.downloads'
const MOST_DOWNLOADS = 20

export type RecordingsTabProps = { readonly channel: ChannelIds; readonly isOnline: boolean }

/** The recordings of a channel on its device: a day of them, played and downloaded. */
export function RecordingsTab({ channel, isOnline }: RecordingsTabProps) {
  const console = useConsole()
  const words = console.words(RECORDINGS_WORDS)
  const { Problem } = console.components
  const { deviceId, channelId } = channel
  const [day, setDay] = useState(() => dayOf(new Date()))
  const [downloads, setDownloads] = useSessionStorage<readonly string[]>({ key: DOWNLOADS_KEY, defaultValue: [] })
  const playback = usePlayback(channel)
  const range = useMemo(() => dayRange(day), [day])
  const query = range && { start: String(range.startMs / 1000), end: String(range.endMs / 1000 - 1) }
  const operation = 'GET /gb28181/api/records/{deviceId}/{channelId}'
  const { data, error, refresh } = console.useCall(isOnline && query !== undefined ? operation : undefined, {
    params: { deviceId, channelId },
    query: query ?? {},
  })
  const recorded = useMemo(() => data && recordedOf(data.data), [data])
  const own = downloads.filter((id) => id.startsWith(`${deviceId}_${channelId}_`))

  const { mayChange } = console.user
  const play = (fromMs: number) => {
    const wanted = playableFrom(recorded ?? [], fromMs)
    if (mayChange && wanted !== undefined) void playback.play(wanted)
  }
  const download = ({ startMs, endMs }: DayRange) =>
    console.change(async () => {
      const wanted = { start: String(Math.floor(startMs / 1000)), end: String(Math.floor(endMs / 1000)) }
      const input = { params: { deviceId, channelId }, query: wanted }
      const answer = await console.api.call('GET /gb28181/api/download/{deviceId}/{channelId}', input)
      const id = answer.data.downloadId
      console.notify(answer.code === 200 ? words.downloadGoesOn : words.downloadBegun)
      setDownloads((before) => [id, ...before.filter((one) => one !== id)].slice(0, MOST_DOWNLOADS))
    })
  if (!isOnline) return <Alert color="gray">{words.offline}</Alert>
  return (
    <Stack gap="sm">
      <Group gap="xs" align="flex-end">
        <ActionIcon size={30} variant="default" aria-label={words.dayBefore} onClick={() => setDay(dayAfter(day, -1))}>
          <ChevronLeftIcon />
        </ActionIcon>
        <TextInput
          size="xs"
          type="date"
          aria-label={words.day}
          value={day}
          onChange={({ currentTarget }) => currentTarget.value !== '' && setDay(currentTarget.value)}
        />
        <ActionIcon size={30} variant="default" aria-label={words.dayAfter} onClick={() => setDay(dayAfter(day, 1))}>
          <ChevronRightIcon />
        </ActionIcon>
      </Group>
      {mayChange ? <PlaybackView playback={playback} /> : <Alert color="gray">{words.looking}</Alert>}
      {range !== undefined && (
        <TimeLine key={day} range={range} recorded={recorded ?? []} atMs={playback.atMs} onPlay={play} />
      )}
      {error === undefined ? (
        <RecordingList
          recorded={recorded}
          actions={mayChange ? { play, download: (one) => void download(one) } : undefined}
        />
      ) : (
        <Problem error={error} onRetry={() => void refresh()} />
      )}
      {mayChange && range !== undefined && (
        <DownloadRange range={range} onDownload={(wanted) => void download(wanted)} />
      )}
      <Downloads ids={own} onForget={(id) => setDownloads((before) => before.filter((one) => one !== id))} />
    </Stack>
  )
}
