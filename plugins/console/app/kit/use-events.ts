import { useEffect, useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { api } from './api-client.ts'

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 15_000

/** Connects while the page is seen, and again with growing pauses when the server has ended it. */
export const useEvents: Console<Paths>['useEvents'] = (operation, input) => {
  const [state, setState] = useState<{ data?: unknown; error?: Error }>({})
  const key = JSON.stringify(input)
  useEffect(() => {
    if (operation === undefined) return undefined
    const parts = key === undefined ? undefined : (JSON.parse(key) as never)
    let controller: AbortController | undefined
    let timer: number | undefined
    let pauseMs = FIRST_PAUSE_MS

    const connect = async (signal: AbortSignal) => {
      try {
        for await (const data of api.events(operation, parts, signal)) {
          pauseMs = FIRST_PAUSE_MS
          setState({ data })
        }
      } catch (error) {
        if (!signal.aborted) setState((before) => ({ ...before, error: error as Error }))
      }
      if (signal.aborted) return
      timer = window.setTimeout(start, pauseMs)
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    }
    const start = () => {
      controller = new AbortController()
      void connect(controller.signal)
    }
    const stop = () => {
      controller?.abort()
      window.clearTimeout(timer)
    }
    const onVisibility = () => {
      stop()
      if (!document.hidden) start()
    }
    onVisibility()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', onVisibility)
    }
  }, [operation, key])
  return { data: state.data, error: state.error } as never
}
