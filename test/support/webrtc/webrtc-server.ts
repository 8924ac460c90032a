import { startServer, type RunningServer } from '../server.ts'

const CONFIG = `
webrtc:
  port: [udp:0, tcp:0]
`

/** Starts a server whose WebRTC is on free ports. */
export function startWebRtcServer(): Promise<RunningServer> {
  return startServer({ config: CONFIG })
}
