import { useEffect, useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { parseMetrics, type MetricFamily } from './metrics-text.ts'

/** The text for Prometheus is no operation, and so not among the paths of the API. */
type MetricsPaths = { 'GET /metrics': { readonly answer: string } }
export type Reading = { readonly timeS: number; readonly families: readonly MetricFamily[] }

const REFRESH_MS = 5000
/** A server with many streams has long texts, which are asked for less often. */
const MAX_CHARACTERS_PER_S = 50_000

/** The metrics, again and again. */
export function useMetrics(console: Console<Paths>) {
  const ofMetrics = console as unknown as Console<MetricsPaths>
  const [refreshMs, setRefreshMs] = useState(REFRESH_MS)
  const [reading, setReading] = useState<Reading>()
  const { data, error, refresh } = ofMetrics.useCall('GET /metrics', undefined, { refreshMs })
  useEffect(() => {
    if (data === undefined) return
    setReading({ timeS: Date.now() / 1000, families: parseMetrics(data) })
    setRefreshMs(Math.max(REFRESH_MS, Math.ceil(data.length / MAX_CHARACTERS_PER_S) * 1000))
  }, [data])
  return { reading, error, refresh }
}
