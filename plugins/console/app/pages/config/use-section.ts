import { useMemo } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { ZH_TITLES } from './config-titles-zh.ts'
import { sectionOf, type Section } from './section-model.ts'
import { withTitles } from './titled-schema.ts'

/** A section as the server has it. */
export type LoadedSection = {
  readonly section: Section
  readonly revision: number
  /** False while the database is away. */
  readonly isStorable: boolean
}

/** Loads a section of the config: its schema, its values, and all that is set for each key. */
export function useSection(console: Console<Paths>, name: string) {
  const params = { params: { plugin: name } }
  const schema = console.useCall('GET /config/schema/{plugin}', params)
  const view = console.useCall('GET /config/{plugin}', params)
  const keys = console.useCall('GET /config/debug/{plugin}', params)
  const { language } = console
  const loaded = useMemo((): LoadedSection | undefined => {
    if (schema.data === undefined || view.data === undefined || keys.data === undefined) return undefined
    const { config, sources, revision, storable: isStorable } = view.data.data
    const layers = new Map(keys.data.data.map(({ key, layers }) => [key, layers]))
    const titled = language === 'zh' ? withTitles(schema.data.data, ZH_TITLES) : schema.data.data
    const section = sectionOf({ schema: titled, config, sources, layers })
    return { section, revision, isStorable }
  }, [schema.data, view.data, keys.data, language])
  return {
    loaded,
    error: schema.error ?? view.error ?? keys.error,
    refresh: async () => void (await Promise.all([schema.refresh(), view.refresh(), keys.refresh()])),
  }
}
