import { useEffect, useReducer, useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { MAX_LINES, nextState, NO_LINES, type LogLine } from './log-lines.ts'

export type LogQuery = Omit<NonNullable<Paths['GET /api/log/sse']['query']>, 'tail' | 'format'>

/** Lines that come within this time are drawn at once. */
const GATHER_MS = 150
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 15_000

/** The lines of the log that a filter lets through: those from before, and those that come. */
export function useLog(console: Console<Paths>, query: LogQuery) {
  const [state, dispatch] = useReducer(nextState, NO_LINES)
  const [error, setError] = useState<Error>()
  const { api } = console
  const key = JSON.stringify(query)
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    let gathered: LogLine[] = []
    let gathering: number | undefined
    const draw = () => {
      gathering = undefined
      dispatch({ kind: 'added', lines: gathered })
      gathered = []
    }
    const watch = async () => {
      const input = { query: { ...(JSON.parse(key) as LogQuery), tail: MAX_LINES } }
      for await (const { lines } of api.events('GET /api/log/sse', input, signal)) {
        setError(undefined)
        gathered = [...gathered, ...lines].slice(-MAX_LINES)
        gathering ??= window.setTimeout(draw, GATHER_MS)
      }
    }
    const watchAgainAndAgain = async () => {
      for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
        dispatch({ kind: 'begun' })
        await watch().catch((failure: unknown) => {
          if (!signal.aborted) setError(failure as Error)
        })
        await new Promise((resolve) => window.setTimeout(resolve, pauseMs))
      }
    }
    void watchAgainAndAgain()
    return () => {
      controller.abort()
      window.clearTimeout(gathering)
    }
  }, [api, key])
  return { ...state, dispatch, error }
}
