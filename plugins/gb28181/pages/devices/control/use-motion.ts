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
 * Moves the camera of a channel from `start` to `stop`. It is stopped as well when the window loses the focus or is hidden, when the
 * page is left, and when another channel is chosen.
 */
export function useMotion({ deviceId, channelId }: ChannelIds, speed: number): MotionControl {
  const console = useConsole()
  const { api } = console
  const [held, setHeld] = useState<string>()
  const moving = useRef<Motion>(undefined)
  const queue = useMemo(() => {
    const params = { deviceId, channelId }
    const send = ({ operation, query }: MotionRequest) => api.call(operation, { params, query })
    return new MotionQueue(send, ({ message }) => console.notify(message, 'failed'))
  }, [api, console, deviceId, channelId])

  const stop = useCallback(() => {
    const motion = moving.current
    moving.current = undefined
    setHeld(undefined)
    if (motion === undefined) return
    const request = stopRequest(motion)
    queue.push(request)
    // A page that is being left sends nothing else for sure.
    if (document.hidden) void fetch(addressOf(request)).catch(() => undefined)

    function addressOf({ operation, query }: MotionRequest): Request {
      const path = operation.replace('GET ', '').replace('{deviceId}', encodeURIComponent(deviceId))
      const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
      const target = path.replace('{channelId}', encodeURIComponent(channelId))
      return new Request(api.credentialUrl(`${target}?${search}`), { keepalive: true })
    }
  }, [api, queue, deviceId, channelId])

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
    const onHidden = () => document.hidden && stop()
    window.addEventListener('blur', stop)
    window.addEventListener('pagehide', stop)
    document.addEventListener('visibilitychange', onHidden)
    return () => {
      stop()
      window.removeEventListener('blur', stop)
      window.removeEventListener('pagehide', stop)
      document.removeEventListener('visibilitychange', onHidden)
    }
  }, [stop])
  return { held, start, stop }
}
