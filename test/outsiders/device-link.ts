import type { Socket } from 'node:net'
import { definePlugin, tcpConfig, Type } from 'sluice/sdk'

const VERSION = '1.0.0'
const MAX_MESSAGE_BYTES = 1024

/** The state with which a device's connection continues in another generation. */
type Device = { name: string; messages: number }

/**
 * A protocol of devices with connections that last for days: a message a line, each answered with its number. When the plugin is
 * replaced, the connections continue in the new generation.
 */
export default definePlugin({
  name: 'device-link',
  version: VERSION,
  config: Type.Object({ tcp: tcpConfig({ listenaddr: ':0' }) }),
  async setup(ctx) {
    /** The connections, each with a function that removes this generation's listeners and returns the state. */
    const leave = new Map<Socket, () => Device>()

    const listener = await ctx.net.tcp(ctx.config.tcp, (socket, handedOver) => {
      const device = (handedOver as Device | undefined) ?? { name: '', messages: 0 }
      let rest = Buffer.alloc(0)
      const read = (bytes: Buffer) => {
        rest = Buffer.concat([rest, bytes])
        for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
          answer(socket, device, rest.subarray(0, end).toString())
          rest = rest.subarray(end + 1)
        }
        if (rest.length > MAX_MESSAGE_BYTES) socket.destroy()
      }
      const fail = (err: Error) => ctx.log.debug({ err }, 'a device has gone')
      const forget = () => leave.delete(socket)
      socket.on('data', read).on('error', fail).once('close', forget)
      leave.set(socket, () => {
        socket.off('data', read).off('error', fail).off('close', forget)
        // The rest is the beginning of a message that is not complete.
        if (rest.length > 0) socket.unshift(rest)
        return device
      })
    })

    ctx.onDrain(() => {
      for (const [socket, take] of leave) {
        if (!listener.handOver(socket, take())) socket.destroy()
      }
      leave.clear()
    })

    function answer(socket: Socket, device: Device, message: string): void {
      device.messages += 1
      if (message.startsWith('register ')) device.name = message.slice('register '.length)
      socket.write(`${device.name} ${device.messages}: ${message}, says ${VERSION}\n`)
    }
  },
})
