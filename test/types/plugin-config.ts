/** Compiled, never run: what a plugin may read of its config, and what is a compile error. */
import { ByteSize, definePlugin, Duration, tcpConfig, Type } from 'sluice/sdk'

const config = Type.Object({
  tcp: tcpConfig({ listenaddr: ':1935' }),
  chunksize: ByteSize({ default: '64KB' }),
  idletimeout: Duration({ default: '10s' }),
  modes: Type.Array(Type.String(), { default: ['fast'] }),
})

export const reading = definePlugin({
  name: 'reading',
  version: '1.0.0',
  config,
  endpoints: ({ tcp }) => ({ pushAddr: [`rtmp://{hostName}${tcp.listenaddr}/{streamPath}`] }),
  setup(ctx) {
    const sizeBytes: number = ctx.config.chunksize
    const idleMs: number = ctx.config.idletimeout
    const waitMs: number = ctx.config.subscribe.waittimeout
    ctx.log.info({ sizeBytes, idleMs, waitMs }, 'config')
    // @ts-expect-error no schema has this key
    ctx.log.info(ctx.config.chunkSize)
    // @ts-expect-error nor this one in an inherited group
    ctx.log.info(ctx.config.subscribe.waitTimeout)
    // @ts-expect-error a duration is a number of milliseconds
    const text: string = ctx.config.idletimeout
    // @ts-expect-error config is frozen
    ctx.config.chunksize = 2
    // @ts-expect-error in its groups, too
    ctx.config.publish.key = 'x'
    // @ts-expect-error and in its lists
    ctx.config.modes.push('slow')
    ctx.onConfig((changed) => {
      // @ts-expect-error the same holds where config changes
      ctx.log.info(changed.nothing, text)
    })
  },
})

export const defaults = definePlugin({
  name: 'defaults',
  version: '1.0.0',
  defaults: {
    subscribe: { waittimeout: '3s', queuesize: '2MB', writemerge: 'auto', submode: 1 },
    admission_webhook: { actions: ['play'] },
    // @ts-expect-error there is no such group
    subscriber: { waittimeout: '3s' },
  },
  setup: () => undefined,
})

export const wrongDefaults = definePlugin({
  name: 'wrong-defaults',
  version: '1.0.0',
  defaults: {
    // @ts-expect-error there is no such key in the group
    subscribe: { waittimout: '3s' },
    // @ts-expect-error one address, not more
    http: { listenaddr: [':8080'] },
    // @ts-expect-error levels have names
    loglevel: 'loud',
  },
  setup: () => undefined,
})

export const withoutConfig = definePlugin({
  name: 'without-config',
  version: '1.0.0',
  setup(ctx) {
    ctx.log.info(ctx.config.publish.key)
    // @ts-expect-error it has no keys of its own
    ctx.log.info(ctx.config.chunksize)
  },
})

// @ts-expect-error a plugin has a version
export const incomplete = definePlugin({ name: 'incomplete', setup: () => undefined })

export const misspelt = definePlugin({
  name: 'misspelt',
  version: '1.0.0',
  // @ts-expect-error there is no such field
  require: ['rtmp'],
  setup: () => undefined,
})
