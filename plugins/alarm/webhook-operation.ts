import { isDeepStrictEqual } from 'node:util'
import { maskUrl, Type, type HookConfig, type PluginContext } from 'sluice/sdk'

type Context = Pick<PluginContext<unknown>, 'global' | 'operations' | 'plugins'>

const WebhookView = Type.Object({
  section: Type.String({ description: 'Of the config: global, or a plugin that has another one than global' }),
  event: Type.String({ description: 'default: all events without one of their own' }),
  url: Type.String({ description: 'Without what its user information and query say; empty tells nobody' }),
  method: Type.String(),
  savealarm: Type.Boolean({ description: 'The event is stored' }),
})

/** Adds `GET /api/alarm/webhooks`: who is told of what at present. */
export function addWebhookOperation(ctx: Context): void {
  ctx.operations.add({
    method: 'GET',
    path: '/api/alarm/webhooks',
    summary: 'Webhooks of events, and whether they are told',
    answer: Type.Object({
      armed: Type.Boolean({ description: 'Webhooks are told; without it, events are only stored' }),
      webhooks: Type.Array(WebhookView),
    }),
    handle() {
      const { armed, hook } = ctx.global
      const running = ctx.plugins.list().filter(({ isRunning }) => isRunning)
      const ofPlugins = running.flatMap(({ name, config }) => viewsOf(name, ownOf(config.hook, hook)))
      return { armed, webhooks: [...viewsOf('global', hook), ...ofPlugins] }
    },
  })
}

/** Returns the webhooks of a section that `global` has otherwise. */
function ownOf(hook: HookConfig, global: HookConfig): HookConfig {
  const inherited = new Map(Object.entries(global))
  return Object.fromEntries(
    Object.entries(hook).filter(([event, own]) => !isDeepStrictEqual(own, inherited.get(event))),
  )
}

function viewsOf(section: string, hook: HookConfig) {
  return Object.entries(hook).map(([event, { url, method, savealarm }]) => ({
    section,
    event,
    url: maskUrl(url),
    method,
    savealarm,
  }))
}
