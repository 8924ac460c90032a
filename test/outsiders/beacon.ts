import { definePlugin, Type, udpConfig, type UdpFlow, type UdpPeer } from 'sluice/sdk'

const VERSION = '1.0.0'

/**
 * A protocol over UDP, one text a datagram: `hello NAME` begins a session, which acknowledges all other datagrams until `bye`;
 * `moved NAME` continues it from another address.
 */
export default definePlugin({
  name: 'beacon',
  version: VERSION,
  config: Type.Object({ udp: udpConfig({ listenaddr: ':0' }) }),
  async setup(ctx) {
    const sessions = new Map<string, UdpFlow>()
    let draining = false
    ctx.onDrain(() => {
      draining = true
    })

    const listener = await ctx.net.udp(ctx.config.udp, (datagram, peer) => {
      const [verb, name = ''] = datagram.toString().split(' ')
      // The newest generation is asked first: sessions it does not know may be those of the one before.
      if (verb === 'hello' && !draining) serve(name, peer)
      else if (verb === 'moved' && sessions.has(name)) serve(name, peer)
      else return false
      sessions.get(name)?.send([Buffer.from(`${verb} ${name}, says ${VERSION}`)])
      return true
    })

    function serve(name: string, peer: UdpPeer): void {
      sessions.get(name)?.close()
      const flow = listener?.claim(peer, (datagram) => {
        flow?.send([Buffer.from(`${datagram.toString()}, says ${VERSION}`)])
        if (datagram.toString() !== 'bye') return
        flow?.close()
        sessions.delete(name)
      })
      if (flow !== undefined) sessions.set(name, flow)
    }
  },
})
