import { rmSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { definePlugin, StreamExists, Type } from 'sluice/sdk'

declare module 'sluice/sdk' {
  interface Hooks {
    /** A path was claimed for this server, or given back. */
    claimed(streamPath: string, isHeld: boolean): void
  }
}

const ENDINGS: Readonly<Record<string, string>> = { flv: 'flv', mp4: 'mp4', hls: 'm3u8' }

/** Servers that share a folder publish a path on one of them only, and send viewers to that one. */
export default definePlugin({
  name: 'claims',
  version: '1.0.0',
  notices: ['claimed'],
  config: Type.Object({
    folder: Type.String({ default: 'claims' }),
    httpaddress: Type.String({ default: 'http://localhost:8080' }),
    rtmpaddress: Type.String({ default: 'rtmp://localhost' }),
  }),
  setup({ config, hooks }) {
    const { folder, httpaddress: http, rtmpaddress: rtmp } = config
    const claimOf = (streamPath: string) => path.join(folder, encodeURIComponent(streamPath))

    const claim = async (streamPath: string) => {
      await mkdir(folder, { recursive: true })
      try {
        await writeFile(claimOf(streamPath), `${http} ${rtmp}`, { flag: 'wx' })
      } catch {
        throw new StreamExists() // 409, and not 401
      }
      hooks.notify('claimed', streamPath, true)
      return () => {
        rmSync(claimOf(streamPath), { force: true })
        hooks.notify('claimed', streamPath, false)
      }
    }
    // The last to be asked, so that nothing is claimed for a session that another hook refuses.
    hooks.on('publish', ({ streamPath }) => claim(streamPath), { stage: 100 })

    hooks.on('resolve', async ({ streamPath, protocol }) => {
      if (streamPath.startsWith('main/')) return { streamPath: streamPath.replace('main/', 'live/') }
      const held = await readFile(claimOf(streamPath), 'utf8').catch(() => '')
      const [itsHttp, itsRtmp] = held.split(' ')
      if (itsRtmp === undefined || itsHttp === http) return false // nobody has it, or its publisher is just coming here
      if (protocol === 'rtmp') return { redirect: `${itsRtmp}/${streamPath}` }
      const ending = ENDINGS[protocol]
      return ending !== undefined && { redirect: `${itsHttp}/${protocol}/${streamPath}.${ending}` }
    })
  },
})
