import { maskUrl, type PluginContext } from 'sluice/sdk'
import { HlsPull } from './hls-pull.ts'

/** Offers to pull streams by HLS; the definition names `pull:hls` in its `provides`. */
export function registerPull({ services, streams, log }: PluginContext<unknown>): void {
  services.provide('pull:hls', {
    endings: ['.m3u8'],
    async pull(request) {
      const { streamPath, url } = request
      const child = log.child({ stream: streamPath, source: maskUrl(url) })
      return new HlsPull({ streams, log: child }, request).run()
    },
  })
}
