import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ChannelIds } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import { MotionQueue } from './motion-queue.ts'
import { startRequest, stopRequest, type Motion, type MotionRequest } from './motion.ts'

/** Moves a camera while something is held. */
export type MotionControl = {
  /** The name of the button that is held. */
  readonly held: string | undefined
  readonly start: (name: string, motion: Motion) => void
  readonly stop: () => void
}

/**
 * Moves the camera of a channel from `start` to `stop`. It is stopped as well when a pointer is let go anywhere, when the window
 * loses the focus or is hidden, when the page is left, and when another channel is chosen.
 */
export function useMotion({ deviceId, channelId }: ChannelIds, speed: number): MotionControl {
  const console = useConsole()
  const { api } = console
  const [held, setHeld] = useState<string>()
  const moving = useRef<Motion>(undefined)
  /** The latest request to stop. */
  const latest = useRef<MotionRequest>(undefined)
  const queue = useMemo(() => {
    const params = { deviceId, channelId }
    const send = ({ operation, query }: MotionRequest) => api.call(operation, { params, query })
    return new MotionQueue(send, ({ message }) => console.notify(message, 'failed'))
  }, [api, console, deviceId, channelId])

  const stop = useCallback(() => {
    const motion = moving.current
    if (motion === undefined) return
    moving.current = undefined
    setHeld(undefined)
    latest.current = stopRequest(motion)
    queue.push(latest.current)
  }, [queue])

  const start = useCallback(
    (name: string, motion: Motion) => {
      const former = moving.current
      if (former !== undefined && former.kind !== motion.kind) queue.push(stopRequest(former))
      moving.current = motion
      setHeld(name)
      queue.push(startRequest(motion, speed))
    },
    [queue, speed],
  )

  useEffect(() => {
    const leave = () => {
      stop()
      if (latest.current === undefined || !queue.isBusy) return
      // Browsers drop the other requests of a page that is left.
      const { operation, query } = latest.current
      api.send(operation, { params: { deviceId, channelId }, query })
    }
    const onVisibility = () => document.hidden && leave()
    window.addEventListener('pointerup', stop)
    window.addEventListener('pointercancel', stop)
    window.addEventListener('blur', stop)
    window.addEventListener('pagehide', leave)
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      stop()
      window.removeEventListener('pointerup', stop)
      window.removeEventListener('pointercancel', stop)
      window.removeEventListener('blur', stop)
      window.removeEventListener('pagehide', leave)
      document.removeEventListener('visibilitychange', onVisibility)
    }
  }, [api, queue, stop, deviceId, channelId])
  return { held, start, stop }
}
