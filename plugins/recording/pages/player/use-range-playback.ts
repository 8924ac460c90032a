import { useEffect, useRef, useState } from 'react'
import type { TimeRange } from '../calendar.ts'
import { RangePlayback } from './range-playback.ts'

type RangePlaybackOptions = {
  readonly addressOf: (range: TimeRange) => Promise<string>
  readonly unsupported: string
  readonly onTime: (ms: number) => void
  readonly onEnd: (endMs: number) => void
}

/** A playback in a video element, which ends with the component. */
export function useRangePlayback(options: RangePlaybackOptions) {
  const video = useRef<HTMLVideoElement>(null)
  const playback = useRef<RangePlayback>(undefined)
  const [problem, setProblem] = useState<string>()
  const [isStarted, setStarted] = useState(false)
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })
  useEffect(() => {
    if (video.current === null) return undefined
    const made = new RangePlayback({
      video: video.current,
      unsupported: latest.current.unsupported,
      addressOf: (range) => latest.current.addressOf(range),
      onTime: (ms) => latest.current.onTime(ms),
      onEnd: (endMs) => latest.current.onEnd(endMs),
      onProblem: setProblem,
    })
    playback.current = made
    return () => made.close()
  }, [])
  const playFrom = (ms: number) => {
    setProblem(undefined)
    setStarted(true)
    void playback.current?.playFrom(ms)
  }
  return { video, problem, isStarted, playFrom }
}
