import { useCallback, useEffect, useRef, useState } from 'react'
import type { ChannelIds } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import type { DayRange } from './recorded-day.ts'

/** Dates before this are none: a stream without a position has the year 1. */
const FIRST_YEAR = 1971

type Playing = { readonly streamPath: string; readonly range: DayRange }

/** A recording of a device that is played. */
export type Playback = ReturnType<typeof usePlayback>

/** Plays the recordings of a channel: one at a time, which ends when the channel changes or the page is left. */
export function usePlayback({ deviceId, channelId }: ChannelIds) {
  const console = useConsole()
  const { api } = console
  const [playing, setPlaying] = useState<Playing>()
  const [isStarting, setStarting] = useState(false)
  const [isPaused, setPaused] = useState(false)
  const [speed, setSpeedShown] = useState(1)
  const [isOver, setOver] = useState(false)
  const latest = useRef<Playing>(undefined)
  latest.current = playing
  const streamPath = playing?.streamPath ?? ''
  const position = console.useEvents(playing === undefined ? undefined : 'GET /api/stream/position/sse', {
    query: { streamPath },
  })
  const time = new Date(position.data ?? 0)
  const isThere = time.getUTCFullYear() >= FIRST_YEAR
  const atMs = playing !== undefined && isThere ? time.getTime() : undefined
  const hadPosition = useRef(false)

  const end = useCallback(
    (path: string) => {
      // A recording that is over has gone by itself.
      void api.call('POST /api/stream/stop/{streamPath}', { params: { streamPath: path } }).catch(() => undefined)
    },
    [api],
  )

  const stop = useCallback(() => {
    if (latest.current !== undefined) end(latest.current.streamPath)
    setPlaying(undefined)
  }, [end])

  useEffect(
    () => () => void (latest.current !== undefined && end(latest.current.streamPath)),
    [end, deviceId, channelId],
  )

  // A stream that had a position and has none any more has come to its end.
  useEffect(() => {
    if (playing === undefined) hadPosition.current = false
    else if (isThere) hadPosition.current = true
    else if (hadPosition.current && position.data !== undefined) {
      setPlaying(undefined)
      setOver(true)
    }
  }, [playing, isThere, position.data])

  /** Plays a range, or goes to its beginning where the end is the same. */
  const play = async (range: DayRange) => {
    setOver(false)
    setPaused(false)
    if (playing !== undefined && playing.range.endMs === range.endMs && range.startMs >= playing.range.startMs) {
      const query = { streamPath, seekTime: Math.floor(range.startMs / 1000) }
      if (await console.change(() => api.call('GET /gb28181/api/playback/seek', { query }))) return
    }
    stop()
    setStarting(true)
    setSpeedShown(1)
    await console.change(async () => {
      const body = { start: secondsText(range.startMs), end: secondsText(range.endMs), lasting: false }
      const input = { params: { deviceId, channelId }, body }
      const { data } = await api.call('POST /gb28181/api/playback/start/{deviceId}/{channelId}', input)
      setPlaying({ streamPath: data.streamPath, range })
    })
    setStarting(false)
  }
  const pause = async () => {
    const query = { streamPath }
    if (await console.change(() => api.call('GET /gb28181/api/playback/pause', { query }))) setPaused(true)
  }
  const resume = async () => {
    const query = { streamPath }
    if (await console.change(() => api.call('GET /gb28181/api/playback/resume', { query }))) setPaused(false)
  }
  const setSpeed = async (next: number) => {
    const query = { streamPath, speed: next }
    if (!(await console.change(() => api.call('GET /gb28181/api/playback/speed', { query })))) return
    setSpeedShown(next)
    setPaused(false)
  }
  return { playing, isStarting, isPaused, isOver, speed, atMs, play, pause, resume, setSpeed, stop }
}

function secondsText(ms: number): string {
  return String(Math.floor(ms / 1000))
}
