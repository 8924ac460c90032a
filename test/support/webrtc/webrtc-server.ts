import { waitFor } from '../../peers/wait-for.ts'
import { startServer, type RunningServer } from '../server.ts'

const CONFIG = `
webrtc:
  port: [udp:0, tcp:0]
`

/**
 * Starts a server whose WebRTC is on free ports.
 * @param config more of the section `webrtc`, as lines of YAML
 */
export function startWebRtcServer(config = ''): Promise<RunningServer> {
  return startServer({ config: `${CONFIG}${config}` })
}

/** Waits for a stream. A publisher that has its answer, and has encoded a picture, may still be connecting. */
export async function untilPublished(server: RunningServer, streamPath: string): Promise<void> {
  const isThere = async () => {
    const { data } = (await server.api('/api/stream/list')).body
    return (data as readonly { readonly path: string }[]).some(({ path }) => path === streamPath)
  }
  await waitFor(isThere, { what: `${streamPath} to be published` })
}
