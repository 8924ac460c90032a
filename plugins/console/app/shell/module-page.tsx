import { lazy, type ComponentType } from 'react'
import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { api } from '../kit/api-client.ts'

type PageComponent = ComponentType<PageProps<Paths>>

/**
 * Modules are loaded once: their components keep their state while the menu is asked for again. One that could not be loaded
 * stays, too, until it is forgotten: React renders the page once more when the load has failed.
 */
const components = new Map<string, PageComponent>()

/**
 * The component of a plugin's page.
 * @param address the address of its module on the server
 */
export function modulePage(address: string): PageComponent {
  const known = components.get(address)
  if (known !== undefined) return known
  const component = lazy(() => load(address))
  components.set(address, component)
  return component
}

/** Has a module loaded anew when its page is next shown, as after a restart of the server. */
export function forgetModule(address: string): void {
  components.delete(address)
}

async function load(address: string): Promise<{ default: PageComponent }> {
  const module = (await import(/* @vite-ignore */ api.url(address))) as { readonly default?: unknown }
  if (typeof module.default !== 'function') throw new Error(`${address} has no component as its default export`)
  return { default: module.default as PageComponent }
}
