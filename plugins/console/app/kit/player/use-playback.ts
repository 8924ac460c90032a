import { useEffect, useState, type RefObject } from 'react'
import type { Transport } from './engine.ts'
import { Playback, type PlaybackState } from './playback.ts'

type Wanted = {
  readonly streamPath: string
  readonly transport: Transport | undefined
  /** Stopped by the viewer where false. */
  readonly isOn: boolean
  /** A greater number tries again. */
  readonly attempt: number
}

/** Plays while the element is drawn. */
export function usePlayback(video: RefObject<HTMLVideoElement | null>, wanted: Wanted) {
  const { streamPath, transport, isOn, attempt } = wanted
  const [state, setState] = useState<PlaybackState>()
  const [playback, setPlayback] = useState<Playback>()
  useEffect(() => {
    const element = video.current
    if (!isOn || element === null) return undefined
    const opened = new Playback(element, { streamPath, transport, onState: setState })
    setPlayback(opened)
    return () => {
      opened.close()
      setPlayback(undefined)
      setState(undefined)
    }
  }, [video, streamPath, transport, isOn, attempt])
  return { state, playback }
}
