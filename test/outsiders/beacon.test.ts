import { expect } from 'chai'
import { Outsider } from '../support/outsider.ts'
import { isUdpPortFree } from '../peers/free-port.ts'
import { UdpClient } from '../support/udp-client.ts'
import { waitFor } from '../peers/wait-for.ts'

/** Datagrams of a session under load that have not been answered yet: as many as the smallest buffer of a system keeps. */
const IN_FLIGHT = 32
type Info = { readonly description: { readonly udp: string } }

const VERSIONS = [2, 3, 4, 5, 6].map((number) => `${number}.0.0`)

describe('a protocol over UDP whose plugin is replaced', () => {
  const start = () => Outsider.start('beacon', { udp: { listenaddr: '127.0.0.1:0' } })
  const portOf = (outsider: Outsider) => outsider.view.udpListeners[0]?.port ?? 0

  it('answers every datagram of its sessions, and begins new ones in the newest generation', async () => {
    const outsider = await start()
    const port = portOf(outsider)
    const loaded = await UdpClient.open(port)
    expect(await loaded.ask('hello loaded')).to.equal('hello loaded, says 1.0.0')
    const load = startLoad(loaded)
    let comers = 0
    const stopping = new AbortController()
    // New sessions begin all the while, also at the moment of a change, and none may wait for an answer.
    const coming = (async () => {
      while (!stopping.signal.aborted) {
        const comer = await UdpClient.open(port)
        comers += 1
        comer.send(`hello comer${comers}`)
        await waitFor(() => comer.answers.length > 0, { what: 'an answer to a new session' })
        comer.send('bye')
        await waitFor(() => comer.answers.length > 1, { what: 'an answer to the end of a session' })
        expect(comer.answers[0]?.split('says')[1]).to.equal(comer.answers[1]?.split('says')[1])
      }
    })()

    for (const version of VERSIONS) {
      await outsider.release(version)
      const comer = await UdpClient.open(port)
      comer.send(`hello ${version}`)
      await waitFor(() => comer.answers.length > 0, { what: `an answer of ${version}` })
      expect(comer.answers).to.eql([`hello ${version}, says ${version}`])
      comer.send('bye')
      const before = load.sent
      await waitFor(() => load.sent > before + IN_FLIGHT, { what: 'load between two changes' })
    }
    stopping.abort()
    await coming

    const answers = await load.stop()
    expect(answers).to.eql(Array.from({ length: load.sent }, (_, index) => `${index}, says 1.0.0`))
    for (const generation of [2, 3, 4, 5]) await outsider.hasEnded(generation)
    loaded.send('bye')
    await outsider.hasEnded(1)
    expect(outsider.server.problems).to.eql([])
  })

  it('shows operators where it listens, and the datagrams that came to nothing', async () => {
    const outsider = await start()
    const port = portOf(outsider)
    const client = await UdpClient.open(port)
    client.send('of no session')
    await client.ask('hello client')
    const { plugins } = (await outsider.server.api('/api/sysinfo')).body.data as { plugins: Info[] }
    expect(plugins[0]?.description.udp).to.equal(`127.0.0.1:${port}`)
    const metrics = await (await fetch(outsider.server.http('/metrics'))).text()
    expect(metrics).to.match(/^sluice_udp_dropped_datagrams_total\{plugin="beacon",reason="unclaimed"\} 1$/mu)
  })

  it('finds the session of a peer that has another address now in an older generation', async () => {
    const outsider = await start()
    const before = await UdpClient.open(portOf(outsider))
    await before.ask('hello walker')
    await outsider.release('2.0.0')
    await outsider.release('3.0.0')
    const after = await UdpClient.open(portOf(outsider))
    expect(await after.ask('moved walker')).to.equal('moved walker, says 1.0.0')
    expect(await after.ask('on my way')).to.equal('on my way, says 1.0.0')
    expect(await before.ask('hello again')).to.equal('hello again, says 3.0.0')
  })

  it('keeps its sessions when it is removed, begins none, and frees the port with the last of them', async () => {
    const outsider = await start()
    const port = portOf(outsider)
    const [client, late] = [await UdpClient.open(port), await UdpClient.open(port)]
    await client.ask('hello client')
    await outsider.remove()
    late.send('hello late')
    expect(await client.ask('still there?')).to.equal('still there?, says 1.0.0')
    expect(late.answers).to.eql([])
    await client.ask('bye')
    await outsider.hasEnded(1)
    await waitFor(() => isUdpPortFree(port), { what: 'the port to be free' })
  })
})

/** Sends numbers from a session, each when one of those before was answered. */
function startLoad(client: UdpClient) {
  const known = client.answers.length
  let sent = 0
  const timer = setInterval(() => {
    const answered = client.answers.length - known
    while (sent - answered < IN_FLIGHT) client.send(String(sent++))
  }, 0)
  return {
    get sent() {
      return sent
    },
    /** Resolves with all answers when each datagram has one. */
    async stop(): Promise<string[]> {
      clearInterval(timer)
      await waitFor(() => client.answers.length - known === sent, { what: 'an answer to each datagram' })
      return client.answers.slice(known)
    },
  }
}
