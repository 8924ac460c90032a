import { useMemo } from 'react'
import type { PageConsole } from '../page-console.ts'

/** The names of the plugins that run; undefined until they are known. */
export function usePlugins(console: PageConsole): ReadonlySet<string> | undefined {
  const { data } = console.useCall('GET /api/sysinfo')
  return useMemo(() => data && new Set(data.data.plugins.map(({ name }) => name)), [data])
}
