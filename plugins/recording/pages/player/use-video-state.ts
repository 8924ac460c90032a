import { useEffect, useState, type RefObject } from 'react'

const EVENTS = ['play', 'pause', 'ended', 'emptied', 'volumechange'] as const

/** The state of a video element: playing or paused, with sound or muted. */
export function useVideoState(video: RefObject<HTMLVideoElement | null>) {
  const [state, setState] = useState({ isPlaying: false, isMuted: false })
  useEffect(() => {
    const element = video.current
    if (element === null) return undefined
    const look = () => setState({ isPlaying: !element.paused && !element.ended, isMuted: element.muted })
    for (const name of EVENTS) element.addEventListener(name, look)
    return () => {
      for (const name of EVENTS) element.removeEventListener(name, look)
    }
  }, [video])
  return state
}
