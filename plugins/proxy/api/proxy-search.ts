import { Type, type PullRule, type PushRule, type Static } from 'sluice/sdk'
import type { ProxyState } from '../health/proxy-state.ts'
import type { ProxySettings } from '../kept/proxy-settings.ts'

/** The query of a list of proxies. */
export const ProxySearch = Type.Object({
  search: Type.Optional(
    Type.String({
      maxLength: 1024,
      description: 'A part of the name, description, path or address, in any case; all unless given',
    }),
  ),
  status: Type.Optional(Type.Integer({ minimum: 0, maximum: 3, description: 'All unless given' })),
})

/** The view of proxies of a kind. */
type Shown<Settings> = {
  /** Returns an address without its secrets. */
  readonly mask: (url: string) => string
  readonly stateOf: (proxy: Settings) => ProxyState
}

/** Returns the proxies that a query asks for. What no answer shows of an address is not searched, either. */
export function proxiesFound<Settings extends ProxySettings & { readonly rule: PullRule | PushRule }>(
  proxies: readonly Settings[],
  { search = '', status }: Static<typeof ProxySearch>,
  { mask, stateOf }: Shown<Settings>,
): readonly Settings[] {
  const sought = search.toLowerCase()
  const hasText = ({ name, description, streamPath, rule }: Settings) =>
    [name, description, streamPath, mask(rule.url)].some((text) => text.toLowerCase().includes(sought))
  return proxies.filter((proxy) => hasText(proxy) && (status === undefined || stateOf(proxy).status === status))
}
