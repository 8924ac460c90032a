import { useMemo } from 'react'
import { useCall } from '../kit/use-call.ts'
import { useLanguage } from '../kit/language.ts'

/** A page of a plugin, as the server lists it. */
export type PluginPage = {
  readonly plugin: string
  /** Its address in the console, `/gb28181/devices`; for a page outside it, the one on the server. */
  readonly path: string
  readonly title: string
  readonly group: string
  readonly icon: string | undefined
} & (
  | { readonly kind: 'module'; readonly module: string }
  | { readonly kind: 'form'; readonly form: PluginForm }
  | { readonly kind: 'link' }
)

/** A form that the console makes for a plugin. */
export type PluginForm = {
  readonly schema: Readonly<Record<string, unknown>>
  readonly read?: string
  readonly write: string
}

type Listed = {
  readonly title: string
  readonly titles?: Readonly<Record<string, string>>
  readonly icon?: string
  readonly group?: string
  readonly url?: string
  readonly module?: string
  readonly form?: PluginForm
}

/** The plugins change seldom; one that is loaded or removed shows in the menu after this. */
const REFRESH_MS = 15_000

/** The pages of the plugins that run; undefined until the server has listed them. */
export function usePluginPages(): readonly PluginPage[] | undefined {
  const language = useLanguage()
  const { data } = useCall('GET /api/sysinfo', undefined, { refreshMs: REFRESH_MS })
  return useMemo(
    () =>
      data?.data.plugins
        // The console's own page is this one.
        .filter(({ name }) => name !== 'console')
        .flatMap(({ name, pages = [] }) => (pages as readonly Listed[]).map((page) => pageOf(name, page, language))),
    [data, language],
  )
}

function pageOf(plugin: string, page: Listed, language: string): PluginPage {
  const { title, titles, icon, group = 'server', url, module, form } = page
  const shown = { plugin, title: titles?.[language] ?? title, group, icon }
  if (module !== undefined) return { ...shown, kind: 'module', module, path: `/${plugin}/${nameOf(module)}` }
  if (form !== undefined) return { ...shown, kind: 'form', form, path: `/${plugin}/${nameOf(form.write)}` }
  return { ...shown, kind: 'link', path: url ?? '/' }
}

/** The last part of an address without its ending. */
function nameOf(address: string): string {
  return address.slice(address.lastIndexOf('/') + 1).replace(/\.\w+$/u, '')
}
