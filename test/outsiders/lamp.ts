import { connect } from 'node:net'
import { definePlugin, SetupLater, Type, type PluginContext } from 'sluice/sdk'

const VERSION = '1.0.0'

/** Knows a lamp by TCP, which says `ready` or `starting` to who connects, and is of no use without it. */
export default definePlugin({
  name: 'lamp',
  version: VERSION,
  config: Type.Object({ port: Type.Integer({ default: 9700 }) }),
  async setup(ctx) {
    const state = await stateOf(ctx)
    if (state !== 'ready') throw new SetupLater(`the lamp is ${state}`, { afterMs: 1000 })
    ctx.log.info('the lamp is lit')
  },
})

async function stateOf({ config }: PluginContext<{ port: number }>): Promise<string> {
  let state = ''
  for await (const bytes of connect(config.port, '127.0.0.1')) state += String(bytes)
  return state
}
