import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import type { TcpListener } from 'sluice/sdk'
import { startOnServer } from '../contract/contract-host.ts'
import { waitFor } from '../peers/wait-for.ts'

const GENERATION = /^\d+/u

/** A connection, and the first number that comes on it. */
async function dial(port: number, host = '127.0.0.1'): Promise<{ socket: Socket; generation: number }> {
  const socket = connect(port, host)
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return { socket, generation: Number(GENERATION.exec(bytes.toString())?.[0]) }
}

describe('generations', () => {
  /** A plugin that greets each connection with the number of its generation, and serves requests that stay open. */
  async function startGreeter() {
    const listeners: TcpListener[] = []
    const replies: { end(text: string): void }[] = []
    const host = await startOnServer(async (ctx) => {
      const generation = listeners.length + 1
      const greet = (socket: Socket) => socket.on('error', () => {}).write(`${generation}`)
      listeners.push(await ctx.net.tcp(ctx.config.tcp, greet))
      ctx.http.get('/live', (_request, reply) => {
        reply.hijack()
        reply.raw.writeHead(200).write(`${generation} `)
        replies.push(reply.raw)
      })
    })
    return { host, listeners, replies, port: listeners[0]?.addresses[0]?.port ?? 0 }
  }

  it('move to another host on the same port, while the connections of the one before go on', async () => {
    const { host, listeners, port } = await startGreeter()
    const first = await dial(port)
    expect(first.generation).to.equal(1)
    await host.configure({ tcp: { listenaddr: `0.0.0.0:${port}` } })
    const second = await waitFor(() => dial(port, '127.0.0.2'), { what: 'the second generation' })
    expect(second.generation).to.equal(2)
    expect(listeners[1]?.addresses).to.eql([{ host: '0.0.0.0', port, tls: false }])
    expect([first.socket.destroyed, first.socket.readyState]).to.eql([false, 'open'])
    first.socket.destroy()
    second.socket.destroy()
  })

  it('of a plugin that is switched off take nothing new, and what is open goes on', async () => {
    const { host, port, replies } = await startGreeter()
    const open = await fetch(`${host.origin}/contract/live`)
    await host.configure({ enable: false })
    const refused = async () => (await fetch(`${host.origin}/contract/live`)).status === 404
    await waitFor(refused, { what: 'the plugin to be off' })
    const [error] = await once(connect(port, '127.0.0.1'), 'error')
    expect(error).to.have.property('code', 'ECONNREFUSED')
    for (const reply of replies) reply.end('the end')
    expect(await open.text()).to.equal('1 the end')
  })
})
