import { expect } from 'chai'
import { sessionClient, StreamUnavailable, type UdpFlow, type UdpListener, type UdpPeer } from 'sluice/sdk'
import { waitFor } from '../peers/wait-for.ts'
import { UdpClient } from '../support/udp-client.ts'
import type { Context, StartContractHost } from './contract-host.ts'

export function describeDatagrams(start: StartContractHost): void {
  const text = (...lines: string[]) => lines.map((line) => Buffer.from(line))

  describe('UDP', () => {
    /** A listener that answers by what `answer` says of each datagram. */
    async function listen(
      ctx: Context,
      onDatagram: (listener: UdpListener, said: string, peer: UdpPeer) => boolean | void,
    ): Promise<UdpListener> {
      const listener = await ctx.net.udp(ctx.config.udp, (datagram, peer) => {
        if (listener === undefined) throw new Error('a datagram came before the listener')
        return onDatagram(listener, datagram.toString(), peer)
      })
      if (listener === undefined) throw new Error('no listener')
      return listener
    }

    it('gives datagrams to the plugin with their peer, which can be answered', async () => {
      const { ctx } = await start()
      const listener = await listen(ctx, (udp, said, peer) => {
        const { ip, port } = sessionClient(peer)
        udp.send(text(`${said} from ${ip} ${port}`, 'and more'), peer)
      })
      expect(listener.address).to.include({ host: '127.0.0.1' })
      const client = await UdpClient.open(listener.address.port)
      expect(await client.ask('hello')).to.equal(`hello from 127.0.0.1 ${client.port}`)
    })

    it('gives those of a claimed peer to its flow until that is closed', async () => {
      const { ctx } = await start()
      const listener = await listen(ctx, (udp, said, peer) => {
        udp.send(text(`unknown: ${said}`), peer)
        if (said !== 'hello') return
        const flow = udp.claim(peer, (datagram) => {
          flow.send(text(`mine: ${datagram.toString()}`))
          if (datagram.toString() !== 'bye') return
          flow.close()
          flow.send(text('not sent any more'))
        })
      })
      const client = await UdpClient.open(listener.address.port)
      const answers = []
      for (const said of ['hello', 'one', 'bye', 'two']) answers.push(await client.ask(said))
      expect(answers).to.eql(['unknown: hello', 'mine: one', 'mine: bye', 'unknown: two'])
    })

    it('sends runs of datagrams in one order with others, whose bytes can be used again, and none of a closed flow', async () => {
      const { ctx } = await start()
      const listener = await listen(ctx, (udp, _, peer) => {
        const flow = udp.claim(peer, () => {})
        const bytes = Buffer.from('aaabbbc')
        udp.send(text('before'), peer)
        udp.sendRun(bytes, 3, peer)
        flow.sendRun(bytes, 5)
        bytes.fill('x')
        flow.sendRun(bytes.subarray(0, 2), 100)
        flow.close()
        flow.sendRun(bytes, 3)
        udp.sendRun(bytes.subarray(0, 0), 3, peer)
        expect(() => udp.sendRun(bytes, 0, peer)).to.throw(RangeError)
        udp.send(text('after'), peer)
      })
      const client = await UdpClient.open(listener.address.port)
      await client.ask('hello')
      await waitFor(() => client.answers.includes('after'), { what: 'all datagrams' })
      expect(client.answers).to.eql(['before', 'aaa', 'bbb', 'c', 'aaabb', 'bc', 'xx', 'after'])
    })

    it('asks the latest flow of a peer first; false leaves a datagram to the next, and to the listener', async () => {
      const { ctx } = await start()
      const flows: UdpFlow[] = []
      const listener = await listen(ctx, (udp, said, peer) => {
        udp.send(text(`nobody: ${said}`), peer)
        for (const name of flows.length === 0 ? ['a', 'b'] : []) {
          const flow = udp.claim(peer, (datagram) => {
            if (!datagram.toString().startsWith(name)) return false
            flow.send(text(`${name}: ${datagram.toString()}`))
            return true
          })
          flows.push(flow)
        }
      })
      const client = await UdpClient.open(listener.address.port)
      const answers = []
      for (const said of ['hello', 'a1', 'b1', 'c1']) answers.push(await client.ask(said))
      flows[1]?.close()
      answers.push(await client.ask('b2'), await client.ask('a2'))
      expect(answers).to.eql(['nobody: hello', 'a: a1', 'b: b1', 'nobody: c1', 'nobody: b2', 'a: a2'])
    })

    it('goes on in the generation that has the peer, also with ports of its own', async () => {
      let port = 0
      let isDraining = false
      const host = await start(async (ctx) => {
        let draining = false
        ctx.onDrain(() => {
          draining = true
          isDraining = true
        })
        const listener = await listen(ctx, (udp, said, peer) => {
          if (draining || said !== 'hello') return false
          const answer = async () => {
            const own = await ctx.net.udpPort(ctx.config.mediaports, () => {})
            flow.send(text(`${draining ? 'old' : 'newest'} with ${own.address.port > 0 ? 'a port' : 'none'}`))
          }
          const flow = udp.claim(peer, () => void answer())
          flow.send(text('welcome'))
          return true
        })
        port = listener.address.port
      })
      const client = await UdpClient.open(port)
      expect(await client.ask('hello')).to.equal('welcome')
      expect(await client.ask('who?')).to.equal('newest with a port')
      await host.replace()
      await waitFor(() => isDraining, { what: 'the replacement' })
      expect(await client.ask('who?')).to.equal('old with a port')
    })

    it('goes on when a handler throws', async () => {
      const { ctx } = await start()
      const listener = await listen(ctx, (udp, said, peer) => {
        if (said === 'fail') throw new Error('broken')
        udp.send(text(`heard ${said}`), peer)
      })
      const client = await UdpClient.open(listener.address.port)
      client.send('fail')
      expect(await client.ask('this')).to.equal('heard this')
    })

    it('has no listener without an address, and gives one up when it is asked to', async () => {
      const { ctx } = await start()
      expect(await ctx.net.udp({ ...ctx.config.udp, listenaddr: '' }, () => {})).to.equal(undefined)
      const listener = await listen(ctx, () => {})
      await Promise.all([listener.close(), listener.close()])
      listener.send(text('into the void'), { remoteAddress: '127.0.0.1', remotePort: 9 })
      expect(() => listener.claim({ remoteAddress: '127.0.0.1', remotePort: 9 }, () => {})).to.throw(Error)
    })
  })

  describe('UDP ports of sessions', () => {
    it('are of the range, each session its own', async () => {
      const { ctx } = await start()
      const { first, last } = ctx.config.mediaports
      const ports = await Promise.all([1, 2, 3].map(() => ctx.net.udpPort(ctx.config.mediaports, () => {})))
      const numbers = ports.map(({ address }) => address.port)
      expect(new Set(numbers).size).to.equal(3)
      for (const number of numbers) expect(number).to.be.within(first, last)
    })

    it('are an even one and the next in pairs, each with its handler', async () => {
      const { ctx } = await start()
      const [rtp, rtcp] = await ctx.net.udpPortPair(
        ctx.config.mediaports,
        (_, peer) => rtp.send(text('rtp'), peer),
        (_, peer) => rtcp.send(text('rtcp'), peer),
      )
      expect(rtp.address.port % 2).to.equal(0)
      expect(rtcp.address.port).to.equal(rtp.address.port + 1)
      const answers = [rtp, rtcp].map(async ({ address }) => (await UdpClient.open(address.port)).ask('?'))
      expect(await Promise.all(answers)).to.eql(['rtp', 'rtcp'])
    })

    it('are free again when they are closed, and refused when none is free', async () => {
      const { ctx } = await start()
      const port = await ctx.net.udpPort(ctx.config.mediaports, () => {})
      const only = { first: port.address.port, last: port.address.port }
      const error: unknown = await ctx.net.udpPort(only, () => {}).catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(StreamUnavailable)
      await port.close()
      const again = await ctx.net.udpPort(only, () => {})
      expect(again.address.port).to.equal(only.first)
    })
  })
}
