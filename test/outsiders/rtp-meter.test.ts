import { expect } from 'chai'
import { createTestServer } from 'sluice/testing'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { UdpClient } from '../support/udp-client.ts'
import plugin from './rtp-meter.ts'

type Ports = { readonly rtp: number; readonly rtcp: number }
type Counts = { readonly packets: number; readonly reports: number }

describe('a plugin whose sessions have a pair of ports each', () => {
  async function start(mediaports: string) {
    const server = await createTestServer(plugin, { config: { mediaports } })
    keep({ close: () => server.stop() })
    const ask = (method: string, path: string | number) => fetch(`${server.origin}/rtp-meter/${path}`, { method })
    const begin = async () => (await (await ask('POST', '')).json()) as Ports
    const counted = async (port: number) => (await (await ask('GET', port)).json()) as Counts
    return { server, ask, begin, counted }
  }

  it('counts what comes in at each, until they are closed', async () => {
    const { ask, begin, counted, server } = await start('21000-29999')
    const [one, other] = await Promise.all([begin(), begin()])
    for (const port of [one.rtp, one.rtp, one.rtcp, other.rtcp]) (await UdpClient.open(port)).send('packet')
    const isCounted = async (port: number, packets: number, reports: number) => {
      const counts = await counted(port)
      return counts.packets === packets && counts.reports === reports
    }
    await waitFor(() => isCounted(one.rtp, 2, 1), { what: 'the packets of one session' })
    await waitFor(() => isCounted(other.rtp, 0, 1), { what: 'the packets of the other' })
    expect((await ask('DELETE', one.rtp)).status).to.equal(204)
    expect((await ask('GET', one.rtp)).status).to.equal(410)
    expect(server.problems).to.eql([])
  })

  it('refuses a session where no pair is free, also when older generations have them', async () => {
    const wide = await start('21000-29999')
    const { rtp } = await wide.begin()
    await wide.ask('DELETE', rtp)
    const { ask, begin, server } = await start(`${rtp}-${rtp + 1}`)
    await begin()
    expect((await ask('POST', '')).status).to.equal(503)
    await server.replace()
    expect((await ask('POST', '')).status).to.equal(503)
  })
})
