import { statfs } from 'node:fs/promises'
import { definePlugin, Type } from 'sluice/sdk'

/** Raises an alarm each minute while the disk of a folder is nearly full. */
export default definePlugin({
  name: 'disk-watch',
  version: '1.0.0',
  notices: ['alarm'],
  config: Type.Object({
    folder: Type.String({ default: '.' }),
    maxpercent: Type.Number({ default: 90 }),
  }),
  async setup(ctx) {
    const { config, hooks } = ctx
    const look = async () => {
      const { bavail, blocks } = await statfs(config.folder)
      const usedPercent = Math.round(100 - (bavail / blocks) * 100)
      if (usedPercent < config.maxpercent) return
      const description = `${usedPercent} % of the disk are used`
      hooks.notify('alarm', { name: 'disk_full', description, plugin: 'disk-watch', type: 0x10014 })
    }
    ctx.setInterval(look, 60_000)
    await look()
  },
})
